import { expect, test } from 'vitest';
import { userActorId } from '#actors/ids.ts';
import type { PageKey } from '#actors/store/page.ts';
import type { UserReader } from '#actors/user/reader.ts';
import { ActorSystem } from '../_support/actor-system.ts';
import { elapse, expectSound } from './support.ts';

const names = ['ann', 'bea', 'cid', 'dan', 'eva', 'fay'];
const seen = (system: ActorSystem, name: string) => {
  const userId = `id.example:${name}`;
  return system.commands().send('user', userActorId(userId), 'user.log-in', { userId, name });
};

/** Users who were seen one after the other: the last one stands first. */
async function withUsers(system: ActorSystem): Promise<void> {
  for (const name of names) {
    await seen(system, name);
    system.clock.advance(1_000);
  }
}

const namesIn = (users: UserReader, size: number, key: PageKey | null, direction: 'after' | 'before' = 'after') => {
  const page = users.page({ limit: size, from: key && { key, direction } });
  return { ...page, names: page.items.map(({ text }) => (JSON.parse(text) as { name: string }).name) };
};

test.each([1, 4])('a walk meets everybody once, with %i shards', async (shards) => {
  await using system = new ActorSystem({ shards });
  await withUsers(system);
  const reader = system.reader();
  const met: string[] = [];
  // Of the first page one, of the others all are seen again, and somebody is new.
  const again = [['fay', 'ann', 'bea'], ['ann', 'cid', 'gil'], ['ann']];
  let key: PageKey | null = null;
  for (let n = 0; n === 0 || key !== null; n++) {
    const page = namesIn(reader.users, 2, key);
    met.push(...page.names);
    key = page.after;
    for (const name of again[n] ?? []) await seen(system, name);
    system.clock.advance(1_000);
  }
  expect(met).toEqual(names.toReversed());
  expect(namesIn(reader.users, 3, null).names.slice(0, 1)).toEqual(['ann']);
  reader.close();
});

test('a walk goes back the way it came', async () => {
  await using system = new ActorSystem();
  await withUsers(system);
  const reader = system.reader();
  const first = namesIn(reader.users, 2, null);
  const second = namesIn(reader.users, 2, first.after);
  await seen(system, 'ann');
  await seen(system, 'fay');
  expect(namesIn(reader.users, 2, second.before, 'before').names).toEqual(first.names);
  reader.close();
});

test('who was last seen before the journal begins is in the list', async () => {
  await using system = new ActorSystem({ retention: { journal: 20_000 } });
  await withUsers(system);
  await elapse(system, 60_000, 10_000);
  await seen(system, 'cid');
  const reader = system.reader();
  expect(namesIn(reader.users, 10, null).names).toEqual(['cid', 'fay', 'eva', 'dan', 'bea', 'ann']);
  reader.close();
});

test('a login keeps what the provider says by now', async () => {
  await using system = new ActorSystem();
  const userId = 'id.example:ann';
  const commands = system.commands();
  const picture = 'https://pictures.example/ann.png';
  await commands.send('user', userActorId(userId), 'user.log-in', { userId, name: 'Ann', avatarUrl: picture });
  system.clock.advance(1_000);
  await commands.send('user', userActorId(userId), 'user.log-in', { userId, name: 'Anna' });
  const reader = system.reader();
  const { items } = reader.users.page({ limit: 1, from: null });
  expect(JSON.parse(items[0]!.text)).toEqual({
    ...{ id: userId, name: 'Anna' },
    ...{ first_seen_at: '2026-01-01T00:00:00.000Z', last_seen_at: '2026-01-01T00:00:01.000Z' },
  });
  reader.close();
  expectSound(system);
});

import { expect, it } from 'vitest';
import type { Page, PageQuery } from '#actors/store/page.ts';
import { ActorSystem } from '../_support/actor-system.ts';
import { itemsOf } from '../_support/pages.ts';
import { uuid } from './support.ts';

const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];

it.each(['tag', 'template'] as const)('each %s is listed in its turn, whatever its shard', async (kind) => {
  await using system = new ActorSystem({ shards: 4 });
  const commands = system.commands();
  for (const name of names) {
    if (kind === 'tag') await commands.send('tag', uuid(), 'tag.create', { name, color: 'tag-red' });
    else await commands.send('template', uuid(), 'template.create', { name, source: 'shop', content: 'Hi!' });
    system.clock.advance(1);
  }
  const reader = system.reader();
  const page = (query: PageQuery): Page<{ name: string }> =>
    kind === 'tag' ? reader.tags.page(query) : reader.templates.page(query, 'shop');
  const namesOf = (listed: ReturnType<typeof page>) => itemsOf(listed).map(({ name }) => name);
  expect(namesOf(page({ limit: 10, from: null }))).toEqual(names);
  const first = page({ limit: 3, from: null });
  const second = page({ limit: 3, from: { key: first.after!, direction: 'after' } });
  expect([namesOf(first), namesOf(second)]).toEqual([names.slice(0, 3), names.slice(3, 6)]);
  expect(namesOf(page({ limit: 3, from: { key: second.before!, direction: 'before' } }))).toEqual(names.slice(0, 3));
  expect(second.total).toBe(names.length);
  reader.close();
});

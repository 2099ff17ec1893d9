import fc from 'fast-check';
import { expect, test } from 'vitest';
import { contactOfConversation } from '#actors/ids.ts';
import type { ContactJson, JsonObject } from '#actors/representation.ts';
import type { CommandSender } from '#actors/commands.ts';
import type { MergedContactJson } from '#actors/contact/reader.ts';
import { ActorSystem, conversationOf, testSource } from '../_support/actor-system.ts';
import { eventsOf, expectSound, failureOf, rowsOf, uuid } from './support.ts';

/** Conversations, each with its contact, in the order of the contacts' ids. */
const people = ['ann', 'bob', 'cid', 'dan']
  .map((name) => ({ name, conversation: conversationOf(name), id: contactOfConversation(conversationOf(name)) }))
  .sort((a, b) => (a.id < b.id ? -1 : 1));
const [a, b, c] = people.map(({ id }) => id) as [string, string, string, string];

/** Contacts, and what carries what they tell each other, one thing at a time. */
class Merging implements AsyncDisposable {
  readonly system: ActorSystem;
  readonly commands: CommandSender;
  readonly reader;

  constructor(shards = 1) {
    this.system = new ActorSystem({ shards });
    this.commands = this.system.commands();
    this.reader = this.system.reader();
  }

  async appear(): Promise<this> {
    for (const { name, conversation, id } of people) {
      const body = { conversationId: conversation, source: testSource, displayName: name };
      await this.commands.send('contact', id, 'contact.appear', body);
    }
    return this;
  }

  merge(source: string, into: string): Promise<unknown> {
    return this.commands.send('contact', source, 'contact.merge', { into });
  }

  /** Has a contact take in another one, which nobody else knows. */
  absorb(into: string, id: string, fields: Partial<ContactJson>): Promise<unknown> {
    const contact = { id, conversations: {}, created_at: '2026-01-01T00:00:00.000Z', ...fields };
    return this.commands.send('contact', into, 'contact.absorb', {
      ...{ from: id, merges: 1, path: [id], contact, history: [] },
    });
  }

  update(id: string, fields: JsonObject): Promise<unknown> {
    return this.commands.send('contact', id, 'contact.update', { fields });
  }

  /** Carries the oldest of what the nth actor has told; twice, as the relay does after a crash. False: there is nothing. */
  async carry(nth = 0): Promise<boolean> {
    const all = Array.from({ length: this.system.shards }, (_, shard) =>
      this.reader.outbox.after(shard, -1, 1_000),
    ).flat();
    const lanes = [...Map.groupBy(all, ({ lane }) => lane).values()];
    const effect = lanes[nth % lanes.length]?.[0];
    if (effect === undefined) return false;
    const about = { key: effect.key, id: effect.id, body: effect.body! };
    for (let tries = 0; tries < 2; tries++) await this.commands.relay(about);
    return true;
  }

  async carryAll(): Promise<void> {
    while (await this.carry());
  }

  contact(id: string): MergedContactJson | null {
    const found = this.reader.contacts.find(id);
    return found === null ? null : (JSON.parse(found.text) as MergedContactJson);
  }

  /** Ids of the contacts that are there. */
  there(): string[] {
    return people.map(({ id }) => id).filter((id) => this.contact(id) !== null);
  }

  ownerOf(conversation: string): string | null {
    const found = this.reader.contacts.ofConversation(conversation);
    return found === null ? null : (JSON.parse(found.text) as ContactJson).id;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.reader.close();
    await this.system[Symbol.asyncDispose]();
  }
}

const start = (shards?: number): Promise<Merging> => new Merging(shards).appear();

test('what the destination lacks comes from the source', async () => {
  await using merging = await start();
  await merging.update(a, { title: 'Dr.', via: { phone: '1', fax: '2' }, metadata: { crm: { id: 1, vip: true } } });
  await merging.update(b, { gender: 'x', via: { phone: '3' }, metadata: { crm: { id: 2 }, shop: { id: 3 } } });
  const [source, destination] = [merging.contact(a)!, merging.contact(b)!];
  await merging.merge(a, b);
  await merging.carryAll();
  expect(merging.contact(b)).toEqual({
    ...destination,
    ...{ title: 'Dr.', via: { phone: '3', fax: '2' }, metadata: { crm: { id: 2 }, shop: { id: 3 } } },
    conversations: { ...destination.conversations, ...source.conversations },
    merge_history: [source],
  });
  expect(merging.contact(a)).toBeNull();
  expect(eventsOf(merging.system).slice(-2)).toEqual([
    { type: 'contact.updated', seq: 3, payload: { id: a, deleted: true, merged_into: b } },
    { type: 'contact.updated', seq: 3, payload: { ...merging.contact(b), merge_history: undefined } },
  ]);
  expectSound(merging.system);
});

test('its conversations are found at every moment', async () => {
  await using merging = await start();
  const [{ conversation }] = people as [(typeof people)[number]];
  expect(merging.reader.contacts.whereabouts(a, 1)).toEqual({ end: null, underWay: true });
  await merging.merge(a, b);
  do expect(merging.ownerOf(conversation)).toBe(b);
  while (await merging.carry());
  expect(merging.reader.contacts.whereabouts(a)).toEqual({ end: b, underWay: false });
});

test('a merge that is asked for again is one', async () => {
  await using merging = await start();
  await Promise.all(Array.from({ length: 50 }, () => merging.merge(a, b)));
  await merging.carryAll();
  await merging.merge(a, b);
  expect(await merging.carry()).toBe(false);
  expect(merging.contact(b)!.merge_history).toHaveLength(1);
  expect(await failureOf(merging.merge(a, c))).toBe('not_found');
  expect(await failureOf(merging.merge(b, b))).toBe('invalid_request');
});

test('a merge into a contact that is gone is given back', async () => {
  await using merging = await start();
  await merging.update(a, { title: 'Dr.' });
  const before = merging.contact(a);
  await merging.merge(a, b);
  await merging.commands.send('contact', b, 'contact.delete', null);
  await merging.carryAll();
  expect(merging.contact(a)).toEqual(before);
  await merging.merge(a, c);
  await merging.carryAll();
  expect(Object.keys(merging.contact(c)!.conversations)).toHaveLength(2);
  expectSound(merging.system);
});

test('the history of the source goes before the source', async () => {
  await using merging = await start();
  for (const [source, into] of [
    [a, b],
    [b, c],
  ] as const) {
    await merging.merge(source, into);
    await merging.carryAll();
  }
  expect(merging.contact(c)!.merge_history!.map(({ id }) => id)).toEqual([a, b]);
});

test('what would be too large stays with the history', async () => {
  await using merging = await start();
  await merging.update(a, { metadata: { a: 'x'.repeat(40_000) }, via: { phone: '1' } });
  await merging.update(b, { metadata: { b: 'y'.repeat(40_000) } });
  await merging.merge(a, b);
  await merging.carryAll();
  const { metadata, via, merge_history } = merging.contact(b)!;
  expect([Object.keys(metadata!), via]).toEqual([['b'], { phone: '1' }]);
  expect(Object.keys(merge_history![0]!.metadata!)).toEqual(['a']);
});

test('what goes with a contact is bounded, the newest of it', async () => {
  await using merging = await start();
  await merging.update(a, { title: 'Dr.' });
  const earlier = Array.from({ length: 7 }, () => uuid());
  for (const id of earlier) await merging.absorb(a, id, { title: 'x'.repeat(200_000) });
  expect(merging.contact(a)!.merge_history!.map(({ id }) => id)).toEqual(earlier.slice(-5));
  await merging.merge(a, b);
  await merging.carryAll();
  expect(merging.contact(b)!.merge_history!.map(({ id }) => id)).toEqual([earlier.at(-1), a]);
});

test('who has more than 1,000 conversations is no source', async () => {
  await using merging = await start();
  const some = (length: number) => Object.fromEntries(Array.from({ length }, () => [uuid(), testSource]));
  await merging.absorb(a, uuid(), { conversations: some(999) });
  await merging.absorb(b, uuid(), { conversations: some(1_000) });
  expect(await failureOf(merging.merge(b, c))).toBe('invalid_request');
  expect(merging.contact(b)!.merge_history).toHaveLength(1);
  await merging.merge(a, c);
  await merging.carryAll();
  expect(Object.keys(merging.contact(c)!.conversations)).toHaveLength(1_001);
});

test('two that are merged into each other are one', async () => {
  await using merging = await start();
  await Promise.all([merging.merge(a, b), merging.merge(b, a)]);
  await merging.carryAll();
  expect(merging.there()).not.toContain(b);
  expect(merging.contact(a)!.merge_history!.map(({ id }) => id)).toEqual([b]);
  expect(Object.keys(merging.contact(a)!.conversations)).toHaveLength(2);
  expectSound(merging.system);
});

const person = fc.nat(people.length - 1);
const step = fc.oneof(
  fc.record({ merge: person, into: person }),
  fc.record({ carry: fc.nat(5) }),
  fc.record({ update: person, title: fc.constantFrom('Dr.', 'Prof.', '') }),
);

test('chains and circles of merges end in one', async () => {
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(1, 3), fc.array(step, { maxLength: 25 }), async (shards, steps) => {
      await using merging = await start(shards);
      /** Who is to be one with whom. */
      const groups = new Map(people.map(({ id }) => [id, new Set([id])]));
      for (const each of steps) {
        if ('carry' in each) await merging.carry(each.carry);
        else if ('update' in each)
          await merging.update(people[each.update]!.id, { title: each.title }).catch(() => null);
        else await mergeGroups(merging, groups, people[each.merge]!.id, people[each.into]!.id);
      }
      await merging.carryAll();
      const there = merging.there();
      for (const group of new Set(groups.values()))
        expect([...group].filter((id) => there.includes(id))).toHaveLength(1);
      for (const { id, conversation } of people) expect(groups.get(id)).toContain(merging.ownerOf(conversation));
      const owned = there.flatMap((id) => Object.keys(merging.contact(id)!.conversations));
      expect(owned.toSorted()).toEqual(people.map(({ conversation }) => conversation).sort());
      expect(rowsOf(merging.system.file).contact_conversation).toHaveLength(people.length);
      expectSound(merging.system);
    }),
    { numRuns: 15 },
  );
}, 20_000);

/** A merge that is accepted makes one group of two. */
async function mergeGroups(
  merging: Merging,
  groups: Map<string, Set<string>>,
  source: string,
  into: string,
): Promise<void> {
  const accepted = await merging.merge(source, into).then(
    () => true,
    () => false,
  );
  if (!accepted) return;
  const both = new Set([...groups.get(source)!, ...groups.get(into)!]);
  for (const id of both) groups.set(id, both);
}

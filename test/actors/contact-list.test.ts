import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import type { PageQuery } from '#actors/store/page.ts';
import { ActorSystem } from '../_support/actor-system.ts';
import { itemsOf } from '../_support/pages.ts';
import { uuid } from './support.ts';

vi.setConfig({ testTimeout: 20_000 });

type Move = { kind: 'create' | 'rename' | 'delete'; nth: number; name: string | undefined };

const move: fc.Arbitrary<Move> = fc.record({
  kind: fc.constantFrom('create', 'rename', 'rename', 'delete'),
  nth: fc.nat(20),
  name: fc.constantFrom('ann', 'Ann', 'bob', 'cid', 'Zoë', '1', undefined),
});

const shape = { shards: fc.constantFrom(1, 3), size: fc.integer({ min: 1, max: 4 }) };
const walks = {
  before: fc.array(move, { maxLength: 12 }),
  during: fc.array(fc.array(move, { maxLength: 4 }), { maxLength: 8 }),
};

/** Contacts as a test made them: id → name. */
async function make(
  system: ActorSystem,
  there: Map<string, string | undefined>,
  { kind, nth, name }: Move,
): Promise<void> {
  const commands = system.commands();
  const known = [...there.keys()];
  const id = kind === 'create' ? uuid() : known[nth % known.length];
  if (id === undefined) return;
  const fields = { display_name: name ?? '', title: 'T' };
  if (kind === 'create') await commands.send('contact', id, 'contact.create', { fields });
  if (kind === 'rename') await commands.send('contact', id, 'contact.update', { fields });
  if (kind === 'delete') await commands.send('contact', id, 'contact.delete', null);
  if (kind === 'delete') there.delete(id);
  else there.set(id, name);
}

test('a walk meets once what was there when it began', async () => {
  await fc.assert(
    fc.asyncProperty(fc.record({ ...shape, ...walks }), async ({ shards, size, before, during }) => {
      await using system = new ActorSystem({ shards });
      const there = new Map<string, string | undefined>();
      for (const each of before) await make(system, there, each);
      const reader = system.reader();
      const all = itemsOf(reader.contacts.page({ limit: 100, from: null })).map(({ id }) => id);
      expect(all).toHaveLength(there.size);
      const met: string[] = [];
      let query: PageQuery = { limit: size, from: null };
      for (let n = 0; ; n++) {
        const page = reader.contacts.page(query);
        expect(page.total).toBe(there.size);
        for (const { id, display_name } of itemsOf(page)) {
          expect(display_name).toBe(there.get(id));
          met.push(id);
        }
        for (const each of during[n] ?? []) await make(system, there, each);
        if (page.after === null) break;
        query = { limit: size, from: { key: page.after, direction: 'after' } };
      }
      const stayed = all.filter((id) => there.has(id));
      expect(met.filter((id) => there.has(id))).toEqual(stayed);
      reader.close();
    }),
    { numRuns: 40 },
  );
});

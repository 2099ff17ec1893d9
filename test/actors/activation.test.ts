import { expect, test } from 'vitest';
import { type ActiveActor, Activations } from '#actors/runtime/activation.ts';

const actor = (id: string, text = ''): ActiveActor => ({
  kind: 'conversation',
  isNew: false,
  snapshot: null,
  memory: null,
  size: 0,
  row: {
    ...{ key: 1, id, revision: 0, seq: 0, turns: 0, last_turn: 0, skip_turn: 0, chain: '', machine_version: 1 },
    ...{ value: text, context: '' },
  },
});

const present = (active: Activations, ids: string[]): string[] =>
  ids.filter((id) => active.get('conversation', id) !== null);

test('the actor that was used longest ago leaves first', () => {
  const active = new Activations({ actors: 2, bytes: 1_000_000 });
  for (const id of ['a', 'b']) active.keep(actor(id));
  expect(active.get('conversation', 'a')).not.toBeNull();
  active.keep(actor('c'));
  expect(present(active, ['a', 'b', 'c'])).toEqual(['a', 'c']);
  expect(active.get('channel', 'a')).toBeNull();
});

test('large actors leave by their size', () => {
  const active = new Activations({ actors: 1_000, bytes: 100_000 });
  for (const id of ['a', 'b', 'c']) active.keep(actor(id));
  expect(active.bytes).toBeLessThan(10_000);
  active.keep(actor('d', 'x'.repeat(48_000)));
  expect(present(active, ['a', 'b', 'c', 'd'])).toEqual(['b', 'c', 'd']);
  // One alone may be as large as it likes.
  active.keep(actor('e', 'x'.repeat(500_000)));
  expect(present(active, ['a', 'b', 'c', 'd', 'e'])).toEqual(['e']);
  expect(active.bytes).toBeGreaterThan(1_000_000);
});

test('what a turn makes of its size is noticed', () => {
  const active = new Activations({ actors: 1_000, bytes: 100_000 });
  const [grown, other] = [actor('a'), actor('b')];
  active.keep(other);
  active.keep(grown);
  const before = active.bytes;
  grown.row.context = 'x'.repeat(1_000);
  active.keep(grown);
  expect(active.bytes - before).toBe(2_000);
  grown.row.context = '';
  active.keep(grown);
  expect(active.bytes).toBe(before);
  active.drop('conversation', 'a');
  active.drop('conversation', 'a');
  expect([active.size, active.bytes]).toEqual([1, before / 2]);
  active.clear();
  expect([active.size, active.bytes]).toEqual([0, 0]);
});

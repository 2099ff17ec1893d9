import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { kindTables } from '#actors/kinds.ts';
import { type HostStore, openHostStore } from '#actors/store/host-store.ts';
import { type ShardRow, timers } from '#actors/store/tables.ts';

/** A new file, and what removes it. */
function newStore(): { store: HostStore; [Symbol.dispose](): void } {
  const folder = mkdtempSync(join(tmpdir(), 'parley-test-'));
  const store = openHostStore({ file: join(folder, 'parley.db'), durability: 'full', shards: 1, tables: kindTables });
  return {
    store,
    [Symbol.dispose]() {
      store.close();
      rmSync(folder, { recursive: true });
    },
  };
}

test.each([
  ['update', timers.update(7, { due: 1 })],
  ['delete', timers.remove(7)],
])('an %s of a row that is not there is refused', (op, change) => {
  using open = newStore();
  const { transactions } = open.store;
  transactions.begin();
  expect(() => transactions.apply(change)).toThrow(`There is no row 7 in timer to ${op}.`);
  transactions.rollback();
});

test('a shard that somebody else has written is not moved on', () => {
  using open = newStore();
  const { transactions } = open.store;
  const rowAt = (lsn: number, hash: string): ShardRow => ({
    ...{ shard: 0, lsn, epoch: 1, hash },
    ...{ next_key: lsn, next_position: lsn, horizon: 1, time: 0, sums: '{}', digest: 'd' },
  });
  const advance = (row: ShardRow, previous: string): void => {
    transactions.begin();
    try {
      transactions.advance(row, previous);
      transactions.commit();
    } finally {
      transactions.rollback();
    }
  };
  advance(rowAt(1, 'a'), '');
  advance(rowAt(2, 'b'), 'a');
  expect(() => advance(rowAt(2, 'c'), 'a')).toThrow('Shard 0 does not stand before record 2.');
  expect(() => advance(rowAt(3, 'c'), 'a')).toThrow('Shard 0 does not stand before record 3.');
  expect(open.store.shard(0)).toEqual(rowAt(2, 'b'));
});

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { kindTables } from '#actors/kinds.ts';
import { openHostStore } from '#actors/store/host-store.ts';
import { shardOf, slotOf, slots } from '#actors/runtime/shard.ts';
import { namespaces } from '#actors/ids.ts';
import { uuidV5 } from '#actors/uuid.ts';

// The last byte of the published FNV-1a 32-bit test vectors.
test.each([
  ['', 0x811c9dc5],
  ['a', 0xe40c292c],
  ['b', 0xe70c2de5],
  ['foobar', 0xbf9cf968],
  ['hello', 0x4f9f2cab],
])('the slot of %j is its FNV-1a hash modulo 256', (text, hash) => {
  expect(slotOf(text)).toBe(hash % slots);
});

test('with one shard every actor is in shard 0', () => {
  for (const id of ['', 'a', 'foobar']) expect(shardOf(id, 1)).toBe(0);
});

test.each([2, 4, 8])('%i shards get about the same number of actors', (shards) => {
  const counts = Array.from({ length: shards }, () => 0);
  const actors = 4_000;
  for (let n = 0; n < actors; n++) counts[shardOf(uuidV5(namespaces.conversation, String(n)), shards)]!++;
  for (const count of counts) expect(Math.abs(count - actors / shards)).toBeLessThan(actors / shards / 5);
});

test('a file made for one number of shards refuses another', () => {
  const folder = mkdtempSync(join(tmpdir(), 'parley-shards-'));
  const file = join(folder, 'parley.db');
  const open = (shards: number) => openHostStore({ file, durability: 'normal', shards, tables: kindTables });
  open(4).close();
  open(4).close();
  expect(() => open(1)).toThrow('was made for data.shards: 4. It can not be opened with 1.');
  rmSync(folder, { recursive: true });
});

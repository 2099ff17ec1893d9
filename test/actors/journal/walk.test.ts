import Database from 'better-sqlite3';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { turnsPerSkip } from '#actors/journal/turn.ts';
import { actorTurns } from '#actors/journal/walk.ts';
import { start } from '#actors/store/migrations/001-start.ts';
import type { Connection } from '#actors/store/database.ts';
import { watchedConnection } from './watched-connection.ts';

interface Written {
  db: Connection;
  /** Keys of each actor's turns, oldest first. */
  turns: number[][];
  /** Key after the last turn. */
  end: number;
}

/** A journal whose turns belong to actors as given, with the pointers that turns have. Each takes 1 to 3 positions. */
function journalOf(actors: readonly number[], count: number): Written {
  const db = new Database(':memory:');
  db.exec(start);
  const insert = db.prepare(
    `INSERT INTO journal (key, kind, actor, previous, skip, at, type, cause, command, hash)
     VALUES (?, 'conversation', ?, ?, ?, 0, '', '', x'', '')`,
  );
  const turns: number[][] = Array.from({ length: count }, () => []);
  const skips = turns.map(() => 0);
  let key = 1;
  db.transaction(() => {
    for (const [n, actor] of actors.entries()) {
      const own = turns[actor]!;
      const isSkip = (own.length + 1) % turnsPerSkip === 0;
      insert.run(key, actor + 1, own.at(-1) ?? 0, isSkip ? skips[actor]! : null);
      if (isSkip) skips[actor] = key;
      own.push(key);
      key += 1 + (n % 3);
    }
  })();
  return { db, turns, end: key };
}

const few = 3;
const histories = fc.array(fc.integer({ min: 0, max: few - 1 }), { maxLength: 900 });

test('a walk finds the turns that a plain filter finds', () => {
  const property = fc.property(
    histories,
    fc.nat(few - 1),
    fc.double({ min: 0, max: 1, noNaN: true }),
    fc.double({ min: 0, max: 1, noNaN: true }),
    fc.oneof(fc.integer({ min: 1, max: 5 }), fc.constantFrom(64, 100, 10_000)),
    (actors, actor, behind, pruned, limit) => {
      const { db, turns, end } = journalOf(actors, few);
      const cut = Math.floor(pruned * pruned * end);
      db.prepare('DELETE FROM journal WHERE key < ?').run(cut);
      const after = Math.floor(behind * end);
      const own = turns[actor]!;
      const last = own.at(-1) ?? 0;
      const expected = own.filter((key) => key > after && key >= cut).slice(0, limit);
      expect(actorTurns(db)(last, after, limit)).toEqual(expected);
      db.close();
    },
  );
  fc.assert(property, { numRuns: 300, seed: 20261121 });
}, 30_000);

/** A long history, and how many rows a walk looks at. */
function longHistory(length: number) {
  const { db, turns } = journalOf(
    Array.from({ length }, () => 0),
    1,
  );
  const [keys] = turns;
  let looks = 0;
  const walk = actorTurns(
    watchedConnection(db, () => {
      looks++;
    }),
  );
  return (after: number, limit: number) => {
    looks = 0;
    const found = walk(keys!.at(-1)!, after, limit);
    return { found, looks, keys: keys! };
  };
}

test('the beginning of a long history costs a sixty-fourth of it', () => {
  const walk = longHistory(6_400);
  const { found, looks, keys } = walk(0, 10);
  expect(found).toEqual(keys.slice(0, 10));
  expect(looks).toBeLessThan(6_400 / turnsPerSkip + 3 * turnsPerSkip);
});

test('its end costs what is read, and a stretch', () => {
  const walk = longHistory(6_400);
  const all = walk(0, 10_000);
  expect(all.found).toEqual(all.keys);
  expect(all.looks).toBeLessThan(1.1 * 6_400);
  for (const behind of [1, 10, 63, 64, 65, 200]) {
    const { found, looks, keys } = walk(all.keys.at(-1 - behind)!, 1_000);
    expect(found).toEqual(keys.slice(-behind));
    expect(looks).toBeLessThan(behind + 3 * turnsPerSkip);
  }
});

test('reading page by page costs little more than at once', () => {
  const walk = longHistory(1_280);
  let looks = 0;
  const seen: number[] = [];
  for (let after = 0; ; ) {
    const page = walk(after, 100);
    looks += page.looks;
    if (page.found.length === 0) break;
    seen.push(...page.found);
    after = page.found.at(-1)!;
  }
  expect(seen).toEqual(walk(0, 10_000).keys);
  expect(looks).toBeLessThan(5 * 1_280);
});

test('nobody has no turns', () => {
  const { db } = journalOf([], 1);
  expect(actorTurns(db)(0, 0, 10)).toEqual([]);
  expect(actorTurns(db)(7, 0, 10)).toEqual([]);
});

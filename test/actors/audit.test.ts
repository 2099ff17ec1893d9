import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { causeIn, commandCause, requestCause } from '#actors/cause.ts';
import { sourceActorId } from '#actors/ids.ts';
import { type AuditQuery, type AuditReader, mostLooks } from '#actors/journal/audit.ts';
import { ActorSystem } from '../_support/actor-system.ts';

const first = Date.UTC(2026, 0, 1);
const minute = 60_000;

/** Sources with these numbers, each made a minute after the other, by two callers in turn. */
async function withSources(system: ActorSystem, end: number, start = 0): Promise<void> {
  for (let n = start; n < end; n++) {
    const cause = requestCause(`key ${n % 2}`, `req-${n}`);
    await system.commands({ cause }).send('source', sourceActorId(`s${n}`), 'source.create', { sourceId: `s${n}` });
    system.clock.advance(minute);
  }
}

/** Request ids of all pages, and how many there were. */
function walk(audit: AuditReader, query: Omit<AuditQuery, 'before'>): { requests: string[]; pages: number } {
  const requests: string[] = [];
  let before: AuditQuery['before'] = null;
  let pages = 0;
  do {
    const page = audit.page({ ...query, before });
    requests.push(...page.entries.map(({ request_id }) => request_id!));
    before = page.next;
    pages++;
  } while (before !== null);
  return { requests, pages };
}

const named = (...numbers: number[]): string[] => numbers.map((n) => `req-${n}`);

test.each([1, 4])('turns of %i shards come newest first', async (shards) => {
  await using system = new ActorSystem({ shards });
  await withSources(system, 7);
  const reader = system.reader();
  for (const limit of [1, 2, 100]) {
    expect(walk(reader.audit, { limit }).requests).toEqual(named(6, 5, 4, 3, 2, 1, 0));
    expect(walk(reader.audit, { limit, by: { kind: 'key', id: '1' } }).requests).toEqual(named(5, 3, 1));
  }
  reader.close();
});

test.each([1, 4])('times bound what is found, in %i shards', async (shards) => {
  await using system = new ActorSystem({ shards });
  await withSources(system, 8);
  const reader = system.reader();
  const between = (from?: number, to?: number): string[] =>
    walk(reader.audit, {
      limit: 2,
      ...(from !== undefined && { from: first + from * minute }),
      ...(to !== undefined && { to: first + to * minute }),
    }).requests;
  expect(between(2, 4)).toEqual(named(4, 3, 2));
  expect(between(6)).toEqual(named(7, 6));
  expect(between(undefined, 1)).toEqual(named(1, 0));
  expect(between(4, 2)).toEqual([]);
  expect(between(100)).toEqual([]);
  reader.close();
});

test('a page looks at so many turns and no more', async () => {
  await using system = new ActorSystem();
  await withSources(system, 3);
  await system.stop();
  copies(system, 2 * mostLooks + 500);
  const reader = system.reader();
  const nobody = { limit: 10, by: { kind: 'nobody' } };
  expect(walk(reader.audit, nobody)).toEqual({ requests: [], pages: 3 });
  const oldest = { limit: 10, by: { kind: 'key', id: '0' }, to: first };
  expect(reader.audit.page({ ...oldest, before: null }).entries.map(({ request_id }) => request_id)).toEqual(named(0));
  reader.close();
});

/** Makes the journal long by repeating its last turn, a minute later each. */
function copies(system: ActorSystem, count: number): void {
  const db = new Database(system.file);
  db.prepare(
    `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
     INSERT INTO journal (key, kind, actor, previous, at, type, cause, command, hash)
     SELECT j.key + i, kind, actor, previous, at + i * ${minute}, type, 'timer x', command, hash
     FROM n, (SELECT * FROM journal ORDER BY key DESC LIMIT 1) j`,
  ).run(count);
  db.prepare('UPDATE shard SET next_position = next_position + ?').run(count);
  db.close();
}

test('a turn that is behind its time is found by it', async () => {
  await using system = new ActorSystem();
  await withSources(system, 4);
  // Commands are as old as they waited.
  system.clock.set(-minute / 2);
  await withSources(system, 5, 4);
  system.clock.set(-minute / 2);
  await withSources(system, 7, 5);
  const reader = system.reader();
  const late = first + 3.5 * minute;
  expect(walk(reader.audit, { limit: 10, from: late, to: late }).requests).toEqual(named(4));
  reader.close();
});

test('a cause is read as it was written', () => {
  const id = 'an id with spaces';
  expect(causeIn(requestCause(`source ${id}`, 'r/1'))).toEqual({ kind: 'source', id, requestId: 'r/1' });
  expect(causeIn(requestCause('anyone', 'r'))).toEqual({ kind: 'anyone', id: null, requestId: 'r' });
  expect(causeIn(commandCause('c'))).toEqual({ kind: 'command', id: 'c', requestId: null });
  expect(causeIn('timer xstate.after.a b')).toEqual({ kind: 'timer', id: 'xstate.after.a b', requestId: null });
  expect(causeIn('retention')).toEqual({ kind: 'retention', id: null, requestId: null });
});

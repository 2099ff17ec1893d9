import Database from 'better-sqlite3';
import { openForWriting } from '#actors/store/database.ts';

/** Tables whose rows ingest adds, their keys taken from one counter of the shard. */
const addedTables = ['message', 'history', 'inbox'] as const;
/** Tables whose row is written again by each command of the actor, and what changes of it. Its key is the actor's. */
const rewrittenTables: Record<string, readonly string[]> = {
  actor: ['revision', 'seq', 'machine_version', 'value', 'context'],
  conversation: ['unread_count', 'last_message', 'last_message_at'],
};
/** The event with which a command that ingested something ends; its subject is the actor. */
const lastEvent = 'conversation.updated';
/** SQLite checkpoints by itself after so many pages: the host of the hub does it at a similar size of the log. */
const checkpointPages = 16_384;

/** Values of the columns, in the order of the table; the first one is the key. */
type Row = unknown[];
type Write = { table: string; op: 'insert' | 'update'; row: Row };

/** What a hub wrote while it ingested, in the order of its commands, to be written again without it. */
export interface IngestedRows {
  messages: number;
  writes: Write[];
  columns: Record<string, string[]>;
}

/**
 * Reads the rows of a hub's file. The rows of conversations and actors are inserted once and then updated as often as
 * the hub did, which the feed tells; the values are the last ones.
 * @param file the database of a stopped hub with one shard that ingested and did nothing else
 */
export function readIngestedRows(file: string): IngestedRows {
  const db = new Database(file, { readonly: true, fileMustExist: true });
  const rowsOf = (table: string): Row[] => db.prepare(`SELECT * FROM ${table} ORDER BY key`).raw().all() as Row[];
  const columns: Record<string, string[]> = {};
  for (const table of [...addedTables, ...Object.keys(rewrittenTables), 'feed']) {
    columns[table] = db.prepare('SELECT name FROM pragma_table_info(?)').pluck().all(table) as string[];
  }
  const added = addedTables.flatMap((table) => rowsOf(table).map((row): Write => ({ table, op: 'insert', row })));
  added.sort((a, b) => (a.row[0] as number) - (b.row[0] as number));
  const rewritten = Object.keys(rewrittenTables).map((table) => ({
    table,
    rows: new Map(rowsOf(table).map((row) => [row[0] as number, row])),
  }));
  const feed = rowsOf('feed');
  db.close();

  const subjectAt = columns['feed']!.indexOf('subject');
  const typeAt = columns['feed']!.indexOf('type');
  const writes: Write[] = [];
  const written = new Set<number>();
  let taken = 0;
  for (const [i, event] of feed.entries()) {
    writes.push({ table: 'feed', op: 'insert', row: event });
    // The events of a command stand as close to its other rows as their share of the whole says.
    for (const upTo = Math.floor((added.length * (i + 1)) / feed.length); taken < upTo; taken++) {
      writes.push(added[taken]!);
    }
    if (event[typeAt] !== lastEvent) continue;
    const actor = event[subjectAt] as number;
    const op = written.has(actor) ? 'update' : 'insert';
    written.add(actor);
    for (const { table, rows } of rewritten) writes.push({ table, op, row: rows.get(actor)! });
  }
  return { messages: added.filter(({ table }) => table === 'message').length, writes, columns };
}

/** A prepared write of a table, and the values that it takes of a row. */
interface Writer {
  statement: Database.Statement<unknown[]>;
  valuesOf(row: Row): unknown[];
}

function writersFor(db: Database.Database, columns: IngestedRows['columns']): Map<string, Writer> {
  const writers = new Map<string, Writer>();
  for (const [table, names] of Object.entries(columns)) {
    const marks = names.map(() => '?').join(', ');
    const insert = db.prepare<unknown[]>(`INSERT INTO ${table} (${names.join(', ')}) VALUES (${marks})`);
    writers.set(`insert ${table}`, { statement: insert, valuesOf: (row) => row });
    const changed = rewrittenTables[table];
    if (changed === undefined) continue;
    const assignments = changed.map((name) => `${name} = ?`).join(', ');
    const places = [...changed, 'key'].map((name) => names.indexOf(name));
    writers.set(`update ${table}`, {
      statement: db.prepare(`UPDATE ${table} SET ${assignments} WHERE key = ?`),
      valuesOf: (row) => places.map((place) => row[place]),
    });
  }
  return writers;
}

/**
 * Writes the rows into a new file with the hub's schema and durability, from prepared statements.
 * @param perCommit messages in one transaction
 * @returns messages per second
 */
export function writeRows(file: string, { messages, writes, columns }: IngestedRows, perCommit: number): number {
  const db = openForWriting(file, 'full');
  db.pragma(`wal_autocheckpoint = ${checkpointPages}`);
  const writers = writersFor(db, columns);
  const prepared = writes.map(({ table, op, row }) => {
    const { statement, valuesOf } = writers.get(`${op} ${table}`)!;
    return { statement, values: valuesOf(row), isMessage: table === 'message' };
  });
  const begin = db.prepare('BEGIN IMMEDIATE');
  const commit = db.prepare('COMMIT');
  const started = performance.now();
  begin.run();
  let inCommit = 0;
  for (const { statement, values, isMessage } of prepared) {
    if (isMessage && inCommit++ === perCommit) {
      commit.run();
      begin.run();
      inCommit = 1;
    }
    statement.run(...values);
  }
  commit.run();
  const seconds = (performance.now() - started) / 1000;
  db.close();
  return messages / seconds;
}

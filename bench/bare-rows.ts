import Database from 'better-sqlite3';
import { openForWriting } from '#actors/store/database.ts';

/** What a command that ingested something rewrites of its actor's row; the row's key is the actor's. */
const rewritten: Record<string, readonly string[]> = {
  conversation: [
    ...['unread_count', 'messages', 'last_message', 'last_message_at'],
    ...['seq', 'turns', 'last_turn', 'skip_turn', 'chain', 'revision', 'machine_version', 'value', 'context'],
  ],
};
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
 * Reads the rows of a hub's file, turn by turn: its messages, its conversation's row, its own. The row of a conversation
 * is inserted once and then updated as often as the hub did; the values are the last ones.
 * @param file the database of a stopped hub with one shard that ingested and did nothing else
 */
export function readIngestedRows(file: string): IngestedRows {
  const db = new Database(file, { readonly: true, fileMustExist: true });
  const columns: Record<string, string[]> = {};
  for (const table of ['message', 'journal', 'conversation']) {
    columns[table] = db.prepare('SELECT name FROM pragma_table_info(?)').pluck().all(table) as string[];
  }
  const rowsOf = (table: string, where = ''): Row[] =>
    db.prepare(`SELECT * FROM ${table} ${where} ORDER BY key`).raw().all() as Row[];
  const messages = rowsOf('message');
  const turns = rowsOf('journal', "WHERE kind = 'conversation'");
  const conversations = new Map(rowsOf('conversation').map((row) => [row[0] as number, row]));
  db.close();

  const turnAt = columns['message']!.indexOf('turn');
  const actorAt = columns['journal']!.indexOf('actor');
  const writes: Write[] = [];
  const written = new Set<number>();
  let taken = 0;
  for (const turn of turns) {
    for (; taken < messages.length && messages[taken]![turnAt] === turn[0]; taken++) {
      writes.push({ table: 'message', op: 'insert', row: messages[taken]! });
    }
    const actor = turn[actorAt] as number;
    writes.push({
      table: 'conversation',
      op: written.has(actor) ? 'update' : 'insert',
      row: conversations.get(actor)!,
    });
    written.add(actor);
    writes.push({ table: 'journal', op: 'insert', row: turn });
  }
  return { messages: messages.length, writes, columns };
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
    const changed = rewritten[table];
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

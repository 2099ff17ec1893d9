import { type Connection, discardDerived, openDerived } from '../../store/database.ts';

/** Another schema, or other entries, is another number: then the file is made anew. */
const version = '2';

/** Documents of one conversation; with the ordinal they make the number of a document. */
export const docsPerConversation = 2 ** 21;

const schema = `
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;

-- metadata: digest of what was indexed of it; erased: messages with lower keys are erased
CREATE TABLE conversation (
  ordinal INTEGER PRIMARY KEY,
  key INTEGER NOT NULL UNIQUE,
  docs INTEGER NOT NULL,
  metadata TEXT NOT NULL,
  erased INTEGER NOT NULL
) STRICT;

CREATE TABLE entry (
  path TEXT NOT NULL,
  type INTEGER NOT NULL,
  value ANY NOT NULL,
  ordinal INTEGER NOT NULL,
  PRIMARY KEY (path, type, value, ordinal)
) STRICT, WITHOUT ROWID;
CREATE INDEX entry_ordinal ON entry (ordinal);

-- the last message that was read of each shard
CREATE TABLE read (shard INTEGER PRIMARY KEY, message INTEGER NOT NULL, id BLOB NOT NULL) STRICT;

CREATE TABLE message (key INTEGER PRIMARY KEY, doc INTEGER NOT NULL) STRICT;
CREATE INDEX message_doc ON message (doc);
CREATE VIRTUAL TABLE words USING fts5 (
  text, content = '', contentless_delete = 1, tokenize = 'unicode61 remove_diacritics 2'
);
`;

/**
 * Opens the index of a data file, which is made anew when it is missing, damaged, of another version or of another
 * instance: all that it holds can be made again.
 */
export function openSearchFile(file: string, instance: string): Connection {
  const db = opened(file);
  if (db !== null && stampOf(db) === stamp(instance)) return db;
  db?.close();
  discardDerived(file);
  const made = openDerived(file);
  made.exec(schema);
  made.prepare("INSERT INTO meta VALUES ('stamp', ?)").run(stamp(instance));
  return made;
}

const stamp = (instance: string): string => `${version} ${instance}`;

/** Null: it is no database. */
function opened(file: string): Connection | null {
  try {
    return openDerived(file);
  } catch (error) {
    if (isDamage(error)) return null;
    throw error;
  }
}

/** Null: it says nothing, as a new one does. */
function stampOf(db: Connection): string | null {
  try {
    return (db.prepare("SELECT value FROM meta WHERE name = 'stamp'").pluck().get() as string | undefined) ?? null;
  } catch {
    return null;
  }
}

/** Whether a failure says that the file is not what it must be. */
export const isDamage = (error: unknown): boolean =>
  /^SQLITE_(?:CORRUPT|NOTADB)/.test(String((error as { code?: unknown }).code));

/** Whether nothing is wrong with the file: takes as long as reading all of it. */
export function isSound(db: Connection): boolean {
  try {
    return db.pragma('quick_check(1)', { simple: true }) === 'ok';
  } catch {
    return false;
  }
}

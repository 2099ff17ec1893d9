import type { Connection } from './database.ts';
import { placeOf, type Seal } from './seal.ts';
import type { Change, Row, TableShape } from './table.ts';

/** A change with its secrets closed: as it goes into the file and into the shard's log. */
export function sealed(seal: Seal, tables: ReadonlyMap<string, TableShape>, change: Change): Change {
  if (change.op !== 'insert' && change.op !== 'update') return change;
  const columns = tables.get(change.table)?.secrets ?? [];
  const present = columns.filter((column) => typeof change.row[column] === 'string');
  if (present.length === 0) return change;
  const key = change.op === 'insert' ? (change.row['key'] as number) : change.key;
  const row: Row = { ...change.row };
  for (const column of present) row[column] = seal.close(row[column] as string, placeOf(change.table, column, key));
  return { ...change, row };
}

/** Where a file says which key its secrets are closed with: its instance stands there, closed with that key. */
export const sealPlace = 'seal';

/** What a file says of itself; undefined where it does not. */
export const metaValue = (db: Connection, name: string): string | undefined =>
  db.prepare('SELECT value FROM meta WHERE name = ?').pluck().get(name) as string | undefined;

/**
 * Makes sure that the secrets of a file are closed with a seal, whatever they were closed with before.
 * @param previous opens those of a file whose seal was another one
 * @throws Error when neither seal opens them
 */
export function sealFile(db: Connection, tables: readonly TableShape[], seal: Seal, previous: Seal | null): void {
  const stored = metaValue(db, sealPlace);
  if (stored !== undefined && opens(seal, stored)) return;
  if (stored !== undefined && !(previous !== null && opens(previous, stored))) {
    throw new Error(
      `${db.name} keeps its secrets under another security.jwtSecret. Set that one again, or name it in ` +
        'security.previousJwtSecret to have them kept under the new one.',
    );
  }
  const plain = (value: string, place: string): string => (stored === undefined ? value : previous!.open(value, place));
  db.transaction(() => {
    for (const { name, secrets } of tables) {
      for (const column of secrets) close(db, name, column, (value, place) => seal.close(plain(value, place), place));
    }
    db.prepare('INSERT OR REPLACE INTO meta VALUES (?, ?)').run(
      sealPlace,
      seal.close(metaValue(db, 'instance')!, sealPlace),
    );
  })();
}

function opens(seal: Seal, stored: string): boolean {
  try {
    seal.open(stored, sealPlace);
    return true;
  } catch {
    return false;
  }
}

function close(db: Connection, table: string, column: string, anew: (value: string, place: string) => string): void {
  const update = db.prepare(`UPDATE ${table} SET ${column} = ? WHERE key = ?`);
  const rows = db.prepare(`SELECT key, ${column} AS value FROM ${table} WHERE ${column} IS NOT NULL`).all();
  for (const { key, value } of rows as { key: number; value: string }[]) {
    update.run(anew(value, placeOf(table, column, key)), key);
  }
}

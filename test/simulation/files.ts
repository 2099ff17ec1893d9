import type { Connection } from '#actors/store/database.ts';

/** Where two files differ, row by row: every table that either has. */
export function differences(a: Connection, b: Connection): string[] {
  const tables = new Set([...tablesOf(a), ...tablesOf(b)]);
  return [...tables].flatMap((table) => {
    const [mine, theirs] = [rowsOf(a, table), rowsOf(b, table)];
    const at = Array.from({ length: Math.max(mine.length, theirs.length) }, (_, n) => n).find(
      (n) => mine[n] !== theirs[n],
    );
    return at === undefined ? [] : [`${table} differs in row ${at}: ${shown(mine[at])} and ${shown(theirs[at])}`];
  });
}

const shown = (row: string | undefined): string => row?.slice(0, 300) ?? 'nothing';

const tablesOf = (db: Connection): string[] =>
  db
    .prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
    .pluck()
    .all() as string[];

/** Not what a node wrote to see whether its own disk takes it. */
const rowsOf = (db: Connection, table: string): string[] =>
  db
    .prepare(`SELECT * FROM "${table}" ${table === 'meta' ? `WHERE name <> 'probe'` : ''} ORDER BY 1, 2`)
    .all()
    .map((row) => JSON.stringify(row));

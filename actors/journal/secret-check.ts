import type { AnyKind } from '../runtime/kind.ts';
import type { Connection } from '../store/database.ts';
import { createSeal, placeOf, type Seal } from '../store/seal.ts';
import { sealPlace, metaValue } from '../store/sealed-file.ts';
import { digestedTables } from './row-digest.ts';

/**
 * Checks what digests leave out: secrets, each of which opens in its own place only, and what the file says of itself.
 * @param sealKey what the secrets are encrypted with; absent: only that nobody has added to what the file says
 * @returns everything that is wrong
 */
export function secretProblems(db: Connection, kinds: readonly AnyKind[], sealKey: Uint8Array | undefined): string[] {
  const names = db.prepare('SELECT name FROM meta ORDER BY name').pluck().all() as string[];
  const problems = names.filter((name) => !metaNames.includes(name)).map((name) => `meta: nobody knows ${name}`);
  if (!names.includes('instance')) problems.push('meta: the instance is not there');
  if (sealKey === undefined) return problems;
  const seal = createSeal(sealKey);
  const wrongSeal = sealProblem(db, seal);
  // Under another key nothing opens, and nothing is said of any single secret.
  return [...problems, ...(wrongSeal === null ? unopened(db, kinds, seal) : [wrongSeal])];
}

/** What a file says of itself. */
const metaNames = ['instance', 'seal', 'probe'];

function sealProblem(db: Connection, seal: Seal): string | null {
  const sealed = metaValue(db, 'seal');
  if (sealed === undefined) return 'meta: the seal is not there';
  const instance = opened(seal, sealed, sealPlace);
  if (instance === null) return 'meta: the seal is another, or security.jwtSecret is not that of the file';
  return instance === metaValue(db, 'instance') ? null : 'meta: the instance is not the one that the seal names';
}

function unopened(db: Connection, kinds: readonly AnyKind[], seal: Seal): string[] {
  return digestedTables(kinds).flatMap(({ name, secrets }) => {
    const noun = kinds.find(({ table }) => table.name === name)?.name ?? name;
    return secrets.flatMap((column) =>
      unopenedIn(db, seal, name, column).map((key) => `${noun} ${key}: its ${column} does not open in its place`),
    );
  });
}

/** @returns the keys of rows */
function unopenedIn(db: Connection, seal: Seal, table: string, column: string): number[] {
  const rows = db.prepare(`SELECT key, ${column} AS value FROM ${table} WHERE ${column} IS NOT NULL ORDER BY key`);
  const keys: number[] = [];
  for (const { key, value } of rows.iterate() as Iterable<{ key: number; value: string }>) {
    if (opened(seal, value, placeOf(table, column, key)) === null) keys.push(key);
  }
  return keys;
}

/** Null: nobody closed it so. */
function opened(seal: Seal, value: string, place: string): string | null {
  try {
    const text = seal.open(value, place);
    // The same bytes have many texts in base64.
    return seal.close(text, place) === value ? text : null;
  } catch {
    return null;
  }
}

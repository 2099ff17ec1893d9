import type { Connection } from '../store/database.ts';

/** What the handlers of an import read. */
export interface ContactImportReads {
  /** Keys of its parts, by their numbers. */
  parts(actor: number): Map<number, number>;
}

export function contactImportReads(db: Connection): ContactImportReads {
  const parts = db.prepare('SELECT number, key FROM contact_import_part WHERE actor = ?').raw();
  return { parts: (actor) => new Map(parts.all(actor) as [number, number][]) };
}

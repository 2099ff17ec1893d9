import { Table } from '../store/table.ts';
import type { ActorRow } from '../store/tables.ts';

export type ContactImportRow = ActorRow;

/** A part of an import that is under way. */
export interface ContactImportPartRow {
  key: number;
  /** Key of the import. */
  actor: number;
  /** From 0 on. */
  number: number;
  /** JSON array of what is said of each contact. */
  contacts: string;
}

export const contactImports = new Table<ContactImportRow>('contact_import', ['id']);
export const contactImportParts = new Table<ContactImportPartRow>('contact_import_part');

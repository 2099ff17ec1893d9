import type { ContactContext } from '#machines/contact.ts';
import type { Connection } from '../store/database.ts';
import { uuidToBytes } from '../uuid.ts';
import { type ContactRow, contacts } from './tables.ts';

/** Where the way from a contact leads that may be part of another one. */
export interface Whereabouts {
  /** The contact at the end that is there; null: it is gone, or they are part of each other for now. */
  end: string | null;
  /** Something on the way is not absorbed yet. */
  underWay: boolean;
}

/** How often a contact was merged. */
export const mergesOf = ({ context }: Readonly<ContactRow>): number => (JSON.parse(context) as ContactContext).merges;

/** Reads where a contact went; `merges`: what is older than this merge of it says nothing. */
export function whereaboutsReader(db: Connection): (id: string, merges?: number) => Whereabouts {
  const byId = contacts.query(db, 'WHERE id = ?');
  return (first, merges = 0) => {
    const passed = new Set<string>();
    let underWay = false;
    for (let id: string | null = first; id !== null && !passed.has(id); ) {
      passed.add(id);
      const row = byId.get(uuidToBytes(id));
      if (row === null) break;
      if (id === first && mergesOf(row) < merges) return { end: null, underWay: true };
      if (row.sort !== null) return { end: id, underWay };
      underWay ||= row.value === '"merging"';
      id = row.merged_into;
    }
    return { end: null, underWay };
  };
}

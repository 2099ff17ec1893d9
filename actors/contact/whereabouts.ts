import type { Connection } from '../store/database.ts';
import { uuidToBytes } from '../uuid.ts';
import { contacts } from './tables.ts';

/** Where the way from a contact leads that may be part of another one. */
export interface Whereabouts {
  /** The contact at the end that is there; null: it is gone, or they are part of each other for now. */
  end: string | null;
  /** Something on the way is not absorbed yet. */
  underWay: boolean;
}

export function whereaboutsReader(db: Connection): (id: string) => Whereabouts {
  const byId = contacts.query(db, 'WHERE id = ?');
  return (first) => {
    const passed = new Set<string>();
    let underWay = false;
    for (let id: string | null = first; id !== null && !passed.has(id); ) {
      passed.add(id);
      const row = byId.get(uuidToBytes(id));
      if (row === null) break;
      if (row.sort !== null) return { end: id, underWay };
      underWay ||= row.value === '"merging"';
      id = row.merged_into;
    }
    return { end: null, underWay };
  };
}

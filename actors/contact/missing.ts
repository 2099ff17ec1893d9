import { appearanceOf } from '../conversation/representation.ts';

import { type ConversationRow, conversations, isErased } from '../conversation/tables.ts';
import { contactOfConversation } from '../ids.ts';
import { parseJson } from '../json.ts';
import type { JsonObject } from '../representation.ts';
import type { Connection } from '../store/database.ts';
import { keysPerShard } from '../store/table.ts';
import { uuidToBytes } from '../uuid.ts';
import type { Appearance } from './contract.ts';

export interface MissingContact {
  /** Its id. */
  contact: string;
  appearance: Appearance;
  /** Key below which all of the conversation was erased; null: nothing was. */
  erasedBefore: number | null;
}

/** A part of a shard's conversations. */
export interface LookedThrough {
  /** Conversations that have appeared and were never given a contact, or not again since they were erased. */
  missing: MissingContact[];
  /** Key of the last one that was looked at; null: there are no more. */
  last: number | null;
}

export interface MissingContactReader {
  /** Looks at conversations behind a key (null: from the first on), `limit` of them at most. */
  look(shard: number, after: number | null, limit: number): LookedThrough;
}

/** Which conversations have no contact: those that appeared while the hub kept none. */
export function missingContactReader(db: Connection): MissingContactReader {
  const next = conversations.query(db, 'WHERE key > ? AND key < ? ORDER BY key LIMIT ?');
  const stateOf = db.prepare('SELECT value FROM contact WHERE id = ?').pluck();
  const isMissing = (row: ConversationRow, contact: string): boolean => {
    const state = stateOf.get(uuidToBytes(contact));
    if (row.erased_before !== null && state === '"erased"') return !isErased(row);
    return row.created_at !== null && state === undefined;
  };
  return {
    look(shard, after, limit) {
      const rows = next.all(after ?? shard * keysPerShard - 1, (shard + 1) * keysPerShard, limit);
      const missing = rows.flatMap((row) => {
        const contact = contactOfConversation(row.id);
        if (!isMissing(row, contact)) return [];
        const appearance = appearanceOf(row, parseJson(row.metadata) as JsonObject);
        return [{ contact, appearance, erasedBefore: row.erased_before }];
      });
      return { missing, last: rows.at(-1)?.key ?? null };
    },
  };
}

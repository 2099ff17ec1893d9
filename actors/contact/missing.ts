import { appearanceOf, isErased } from '../conversation/representation.ts';
import { type ConversationRow, conversations } from '../conversation/tables.ts';
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
  const lastOf = db
    .prepare('SELECT max(key) FROM (SELECT key FROM conversation WHERE key > ? AND key < ? ORDER BY key LIMIT ?)')
    .pluck();
  // Nearly all are somebody's: those are left out before an id is made of theirs.
  const nobodys = conversations.query(
    db,
    `WHERE key > ? AND key <= ? AND (erased_before IS NOT NULL
       OR NOT EXISTS (SELECT 1 FROM contact_conversation o WHERE o.conversation = conversation.id)) ORDER BY key`,
  );
  const stateOf = db.prepare('SELECT value FROM contact WHERE id = ?').pluck();
  const isMissing = (row: ConversationRow, contact: string): boolean => {
    const state = stateOf.get(uuidToBytes(contact));
    if (row.erased_before !== null && state === '"erased"') return !isErased(row);
    return row.created_at !== null && state === undefined;
  };
  return {
    look(shard, after, limit) {
      const from = after ?? shard * keysPerShard - 1;
      const last = lastOf.get(from, (shard + 1) * keysPerShard, limit) as number | null;
      const missing = nobodys.all(from, last ?? from).flatMap((row) => {
        const contact = contactOfConversation(row.id);
        if (!isMissing(row, contact)) return [];
        const appearance = appearanceOf(row, parseJson(row.metadata) as JsonObject);
        return [{ contact, appearance, erasedBefore: row.erased_before }];
      });
      return { missing, last };
    },
  };
}

import type { Connection } from '../store/database.ts';
import { uuidToBytes } from '../uuid.ts';
import { taggedConversations, type TaggedConversationRow } from './tables.ts';

/** What the handlers of a tag read. */
export interface TagReads {
  /** The row of a conversation that has the tag. */
  tagged(tag: number, conversation: string): TaggedConversationRow | null;
  /** The first of those that have it. */
  allTagged(tag: number, limit: number): TaggedConversationRow[];
}

export function tagReads(db: Connection): TagReads {
  const one = taggedConversations.query(db, 'WHERE tag = ? AND conversation = ?');
  const first = taggedConversations.query(db, 'WHERE tag = ? ORDER BY conversation LIMIT ?');
  return {
    tagged: (tag, conversation) => one.get(tag, uuidToBytes(conversation)),
    allTagged: (tag, limit) => first.all(tag, limit),
  };
}

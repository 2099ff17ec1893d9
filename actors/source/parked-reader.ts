import type { JsonObject } from '../representation.ts';
import type { Connection } from '../store/database.ts';
import { parkedMetadata } from './tables.ts';

/** Metadata of a source for a conversation or message that had not appeared. */
export interface ParkedMetadata {
  key: number;
  sourceId: string;
  namespace: 'conversation' | 'message';
  /** The source's own id of the conversation or message. */
  target: string;
  metadata: JsonObject;
}

export interface ParkedReader {
  /** Whose target is there by now, oldest first. */
  appeared(limit: number): ParkedMetadata[];
}

export function parkedReader(db: Connection): ParkedReader {
  const appeared = parkedMetadata.query(
    db,
    `AS p WHERE (namespace = 'conversation' AND EXISTS (
         SELECT 1 FROM conversation c
         WHERE c.source_conversation_id = p.target AND c.source = p.source_id AND c.created_at IS NOT NULL))
       OR (namespace = 'message' AND EXISTS (
         SELECT 1 FROM message m JOIN conversation c ON c.key = m.conversation
         WHERE m.source_message_id = p.target AND c.source = p.source_id))
     ORDER BY key LIMIT ?`,
  );
  return {
    appeared: (limit) =>
      appeared.all(limit).map((row) => ({
        key: row.key,
        sourceId: row.source_id,
        namespace: row.namespace as ParkedMetadata['namespace'],
        target: row.target,
        metadata: JSON.parse(row.metadata) as JsonObject,
      })),
  };
}

import { messageReader } from '../conversation/message-reader.ts';
import { conversationReader } from '../conversation/reader.ts';
import { sourceActorId } from '../ids.ts';
import type { Connection } from '../store/database.ts';
import { keysPerShard } from '../store/table.ts';
import { uuidToBytes } from '../uuid.ts';
import { parkedMetadata, type ParkedMetadataRow } from './tables.ts';
import { type Target, targetsOf } from './targets.ts';

/** Something that is kept, and what it is about, which is there. */
export interface Met {
  row: ParkedMetadataRow;
  target: Target;
}

/** Rows that one round looks at. */
const lookedAtAtOnce = 100;

/**
 * Finds what is kept for something that has appeared without it. Where shards' logs are replicated, the turn that keeps
 * metadata and the turn in which its target appears may each be on its way while the other one reads.
 */
export function metAmong(db: Connection): (rows: Iterable<ParkedMetadataRow>) => Met[] {
  const readers = { conversations: conversationReader(db), messages: messageReader(db) };
  // Who has applied it says so in the turn in which it appears.
  const applied = db.prepare(
    `SELECT 1 FROM conversation c JOIN outbox o ON o.lane = c.key, json_each(o.body, '$.body.keys') k
     WHERE c.id = ? AND o.body ->> '$.type' = 'metadata.unpark' AND k.value = ?`,
  );
  return (rows) => {
    const met: Met[] = [];
    for (const row of rows) {
      const [target] = targetsOf(readers, row.source_id, {
        namespace: row.namespace as 'conversation' | 'message',
        sourceId: row.target,
        ...(row.conversation !== null && { sourceConversationId: row.conversation }),
        ...(row.channel !== null && { channelId: row.channel }),
      });
      const isThere = target !== undefined && (target.messageId === null) === (row.namespace === 'conversation');
      if (isThere && applied.get(uuidToBytes(target.conversationId), row.key) === undefined) met.push({ row, target });
    }
    return met;
  };
}

/** Ids of the sources of a shard that keep something for what has appeared: a few rows are looked at each time. */
export function sourcesThatMissed(db: Connection): (shard: number) => string[] {
  const met = metAmong(db);
  const some = parkedMetadata.query(db, 'WHERE key > ? AND key < ? ORDER BY key LIMIT ?');
  const lookedAt = new Map<number, number>();
  return (shard) => {
    const start = shard * keysPerShard;
    const rows = some.all(lookedAt.get(shard) ?? start, start + keysPerShard, lookedAtAtOnce);
    lookedAt.set(shard, rows.length < lookedAtAtOnce ? start : rows.at(-1)!.key);
    return met(rows).map(({ row }) => sourceActorId(row.source_id));
  };
}

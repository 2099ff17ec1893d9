import { channels } from '../channel/tables.ts';
import { messageReader } from '../conversation/message-reader.ts';
import { conversationReader } from '../conversation/reader.ts';
import { messageId } from '../ids.ts';
import type { Connection } from '../store/database.ts';
import { keysPerShard } from '../store/table.ts';
import { uuidFromBytes, uuidToBytes } from '../uuid.ts';
import type { TargetName } from './contract.ts';
import { metAmong, type Met, sourcesThatMissed } from './meeting.ts';
import { parkedMetadata, type ParkedMetadataRow } from './tables.ts';
import { erasedNames, type Target, targetsOf } from './targets.ts';

/** What the handlers of a source read. */
export interface SourceReads {
  /** The channels that go with the source, each with the key of its last turn. */
  connectedChannels(sourceId: string): { id: string; lastTurn: number }[];
  /** Everything of a source that goes by an id of its own; empty while nothing of that name has appeared. */
  targets(sourceId: string, name: TargetName): Target[];
  /** Whether a name is that of something of a source that was erased, and of nothing that is there. */
  isErased(sourceId: string, name: TargetName): boolean;
  /** Whether a conversation has a message of this id at its source, which may be erased. */
  hasMessage(conversation: string, sourceId: string, sourceMessageId: string): boolean;
  isParked(key: number): boolean;
  /** What is kept under exactly this name. */
  parkedUnder(sourceId: string, name: TargetName): ParkedMetadataRow | null;
  /** How many names the source has something kept under. */
  countParked(sourceId: string): number;
  /** Keys of what is kept for a conversation, by the source's own id, and for messages in it. */
  parkedFor(sourceId: string, channel: string, conversation: string): number[];
  /** Keys of what the source has had kept since before a key, the oldest first. */
  parkedBefore(sourceId: string, before: number, limit: number): number[];
  /** What the source has had kept for something that has appeared without it. */
  met(sourceId: string): Met[];
}

export function sourceReads(db: Connection): SourceReads {
  const connected = channels.query(db, 'WHERE source_id = ? AND connected = 1 ORDER BY key');
  const parked = db.prepare('SELECT 1 FROM parked_metadata WHERE key = ?').pluck();
  const under = parkedMetadata.query(
    db,
    'WHERE source_id = ? AND namespace = ? AND target = ? AND conversation IS ? AND channel IS ?',
  );
  const count = db.prepare('SELECT count(*) FROM parked_metadata WHERE source_id = ?').pluck();
  const old = db
    .prepare('SELECT key FROM parked_metadata WHERE source_id = ? AND key < ? ORDER BY key LIMIT ?')
    .pluck();
  const forConversation = db
    .prepare(
      `SELECT key FROM parked_metadata WHERE source_id = @sourceId AND ifnull(channel, @channel) = @channel
       AND (conversation = @conversation OR (namespace = 'conversation' AND target = @conversation))`,
    )
    .pluck();
  const ofSource = parkedMetadata.query(db, 'WHERE source_id = ? ORDER BY key');
  const met = metAmong(db);
  const readers = { conversations: conversationReader(db), messages: messageReader(db) };
  return {
    connectedChannels: (sourceId) => connected.all(sourceId).map(({ id, last_turn: lastTurn }) => ({ id, lastTurn })),
    targets: (sourceId, name) => targetsOf(readers, sourceId, name),
    isErased: erasedNames(db),
    hasMessage: (conversation, sourceId, sourceMessageId) =>
      readers.messages.find(messageId(conversation, sourceId, sourceMessageId)) !== null,
    isParked: (key) => parked.get(key) !== undefined,
    parkedUnder: (sourceId, { namespace, sourceId: target, sourceConversationId, channelId }) =>
      under.get(sourceId, namespace, target, sourceConversationId ?? null, channelId ? uuidToBytes(channelId) : null),
    parkedBefore: (sourceId, before, limit) => old.all(sourceId, before, limit) as number[],
    parkedFor: (sourceId, channel, conversation) =>
      forConversation.all({ sourceId, channel: uuidToBytes(channel), conversation }) as number[],
    countParked: (sourceId) => count.get(sourceId) as number,
    met: (sourceId) => met(ofSource.iterate(sourceId)),
  };
}

/** Ids of the actors of a shard that keep something since before a key, or for what has appeared: a few of them. */
export function sourcesToPrune(db: Connection): (shard: number, before: number) => string[] {
  const old = sourcesWithOldMetadata(db);
  const missed = sourcesThatMissed(db);
  return (shard, before) => [...new Set([...old(shard, before), ...missed(shard)])];
}

function sourcesWithOldMetadata(db: Connection): (shard: number, before: number) => string[] {
  const old = db
    .prepare(
      `SELECT DISTINCT s.id FROM (SELECT source_id FROM parked_metadata WHERE key >= ? AND key < ? ORDER BY key LIMIT 200) p
       JOIN source s ON s.source_id = p.source_id`,
    )
    .pluck();
  return (shard, before) => (old.all(shard * keysPerShard, before) as Uint8Array[]).map(uuidFromBytes);
}

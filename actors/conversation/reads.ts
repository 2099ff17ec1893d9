import type { Connection } from '../store/database.ts';
import { parkedMetadata, type ParkedMetadataRow } from '../source/tables.ts';
import { tagLookup } from '../tag/reader.ts';
import { uuidFromBytes, uuidToBytes } from '../uuid.ts';
import type { ConversationErasure } from './contract.ts';
import {
  type ConversationRow,
  messages,
  type MessageRow,
  type ParkedEchoRow,
  parkedEchoes,
  type ParkedSendRow,
  parkedSends,
} from './tables.ts';

/** Where a conversation is that has appeared. */
type Whereabouts = Pick<ConversationRow, 'source' | 'source_conversation_id'> & { channel_id: string };

/** What the handlers of a conversation read. */
export interface ConversationReads {
  message(id: string): MessageRow | null;
  messageByKey(key: number): MessageRow | null;
  /** A message of ours that its source has given this id. */
  ownBySourceId(conversation: number, sourceMessageId: string): MessageRow | null;
  /** A message of ours by the id that its echo would have. */
  messageByEcho(id: string): MessageRow | null;
  /** Whether the id of an echo is kept as one of before. */
  isFormerEcho(id: string): boolean;
  /** Messages that an erasure takes next, in the order of their times, a few; also of before, what was said of them since. */
  messagesToErase(conversation: number, erasure: Pick<ConversationErasure, 'since' | 'before' | 'after'>): MessageRow[];
  /** Ids of the idempotency keys whose answers show a message. */
  keysShowing(message: string): string[];
  /** Keys of the rows that say which files a message shows. */
  mediaOf(message: number): number[];
  /** Delivered messages of ours that were sent until a time (epoch ms), newest first, a few. */
  deliveredUntil(conversation: number, until: number): MessageRow[];
  /** The message whose effect of a kind is the oldest of a lane. */
  headOfLane(lane: number, kind: string): MessageRow | null;
  /** Whether an effect is not done. */
  isWaiting(effect: number): boolean;
  parkedSends(actor: number): ParkedSendRow[];
  parkedEcho(messageId: string): ParkedEchoRow | null;
  /** In the order in which they came. */
  parkedEchoes(actor: number): ParkedEchoRow[];
  /** Whether a source has said anything about what has not appeared. */
  hasParkedMetadata(source: string): boolean;
  /** What a source has said about a conversation, or (by its id at the source) a message in it, before it appeared. */
  parkedMetadata(conversation: Whereabouts, sourceMessageId: string | null): ParkedMetadataRow[];
  /** Whether a channel can be used now. */
  isConnected(channel: string): boolean;
  /** Whether a tag is there, and not deleted. */
  isTag(tag: string): boolean;
  /** The id of the command that a turn handled; null for one that is no longer kept. */
  commandOf(turn: number): string | null;
}

/** Finds a message by the id of any echo of it. */
export function messagesByEcho(db: Connection): (id: string) => MessageRow | null {
  const now = messages.query(db, 'WHERE echo_id = ?');
  const before = messages.query(db, 'WHERE key = (SELECT message FROM former_echo WHERE echo_id = ?)');
  return (id) => now.get(uuidToBytes(id)) ?? before.get(uuidToBytes(id));
}

/** Messages that one watermark moves at most: those before them got there with the watermarks before it. */
const reachedAtOnce = 200;

/** Messages that one command erases. */
const erasedAtOnce = 200;

export function conversationReads(db: Connection): ConversationReads {
  const byId = messages.query(db, 'WHERE id = ?');
  const byKey = messages.query(db, 'WHERE key = ?');
  const own = messages.query(db, 'WHERE source_message_id = ? AND conversation = ? AND delivery IS NOT NULL');
  const byEcho = messagesByEcho(db);
  const former = db.prepare('SELECT 1 FROM former_echo WHERE echo_id = ?').pluck();
  const toErase = messages.query(
    db,
    `WHERE conversation = ? AND (sent_at, key) > (?, ?) AND (key >= ? OR metadata <> '{}') AND key < ? ORDER BY sent_at, key LIMIT ${erasedAtOnce}`,
  );
  const delivered = messages.query(
    db,
    `WHERE conversation = ? AND delivery IS NOT NULL AND state = 'delivered' AND sent_at <= ? ORDER BY sent_at DESC, key DESC LIMIT ${reachedAtOnce}`,
  );
  const waiting = db.prepare('SELECT 1 FROM outbox WHERE key = ?').pluck();
  const showing = db.prepare('SELECT id FROM idempotency_key WHERE message = ?').pluck();
  const media = db.prepare('SELECT key FROM message_media WHERE message = ?').pluck();
  const head = messages.query(
    db,
    'WHERE key = (SELECT subject FROM outbox WHERE lane = ? AND kind = ? ORDER BY key LIMIT 1)',
  );
  const echo = parkedEchoes.query(db, 'WHERE message_id = ?');
  const echoes = parkedEchoes.query(db, 'WHERE actor = ? ORDER BY key');
  const parked = parkedSends.query(db, 'WHERE actor = ? ORDER BY key');
  const said = parkedMetadata.query(
    db,
    `WHERE source_id = @source AND namespace = @namespace AND target = @target
     AND ifnull(conversation, @conversation) = @conversation AND ifnull(channel, @channel) = @channel ORDER BY key`,
  );
  const anySaid = db.prepare('SELECT EXISTS (SELECT 1 FROM parked_metadata WHERE source_id = ?)').pluck();
  const connected = db.prepare('SELECT connected FROM channel WHERE id = ?').pluck();
  const command = db.prepare('SELECT lower(hex(command)) FROM journal WHERE key = ?').pluck();
  return {
    message: (id) => byId.get(uuidToBytes(id)),
    messageByKey: (key) => byKey.get(key),
    ownBySourceId: (conversation, sourceMessageId) => own.get(sourceMessageId, conversation),
    isFormerEcho: (id) => former.get(uuidToBytes(id)) !== undefined,
    messageByEcho: byEcho,
    messagesToErase(conversation, { since, before, after = { sentAt: Number.MIN_SAFE_INTEGER, key: 0 } }) {
      return toErase.all(conversation, after.sentAt, after.key, since, before);
    },
    deliveredUntil: (conversation, until) => delivered.all(conversation, until),
    keysShowing: (message) => (showing.all(uuidToBytes(message)) as Uint8Array[]).map(uuidFromBytes),
    mediaOf: (message) => media.all(message) as number[],
    headOfLane: (lane, kind) => head.get(lane, kind),
    isWaiting: (effect) => waiting.get(effect) !== undefined,
    parkedSends: (actor) => parked.all(actor),
    parkedEcho: (messageId) => echo.get(uuidToBytes(messageId)),
    parkedEchoes: (actor) => echoes.all(actor),
    parkedMetadata: ({ source, source_conversation_id: conversation, channel_id }, sourceMessageId) =>
      said.all({
        ...{ source, conversation, channel: uuidToBytes(channel_id) },
        namespace: sourceMessageId === null ? 'conversation' : 'message',
        target: sourceMessageId ?? conversation,
      }),
    hasParkedMetadata: (source) => anySaid.get(source) === 1,
    isConnected: (channel) => connected.get(uuidToBytes(channel)) === 1,
    isTag: tagLookup(db),
    commandOf: (turn) => (command.get(turn) as string | undefined) ?? null,
  };
}

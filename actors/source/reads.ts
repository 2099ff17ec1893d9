import { channels } from '../channel/tables.ts';
import { messageReader } from '../conversation/message-reader.ts';
import { conversationReader } from '../conversation/reader.ts';
import type { Connection } from '../store/database.ts';
import { type Target, targetsOf } from './targets.ts';

/** What the handlers of a source read. */
export interface SourceReads {
  /** The channels that go with the source, each with the key of its last turn. */
  connectedChannels(sourceId: string): { id: string; lastTurn: number }[];
  /** Everything of a source that goes by an id of its own; empty while nothing of that name has appeared. */
  targets(sourceId: string, namespace: 'conversation' | 'message', id: string): Target[];
  isParked(key: number): boolean;
}

export function sourceReads(db: Connection): SourceReads {
  const connected = channels.query(db, 'WHERE source_id = ? AND connected = 1 ORDER BY key');
  const parked = db.prepare('SELECT 1 FROM parked_metadata WHERE key = ?').pluck();
  const readers = { conversations: conversationReader(db), messages: messageReader(db) };
  return {
    connectedChannels: (sourceId) => connected.all(sourceId).map(({ id, last_turn: lastTurn }) => ({ id, lastTurn })),
    targets: (sourceId, namespace, id) => targetsOf(readers, sourceId, namespace, id),
    isParked: (key) => parked.get(key) !== undefined,
  };
}

import type { Connection } from '../store/database.ts';
import { uuidFromBytes } from '../uuid.ts';

/** What the handlers of a source read. */
export interface SourceReads {
  /** Ids of the channels that go with the source. */
  connectedChannels(sourceId: string): string[];
  isParked(key: number): boolean;
}

export function sourceReads(db: Connection): SourceReads {
  const connected = db.prepare('SELECT id FROM channel WHERE source_id = ? AND connected = 1 ORDER BY key').pluck();
  const parked = db.prepare('SELECT 1 FROM parked_metadata WHERE key = ?').pluck();
  return {
    connectedChannels: (sourceId) => (connected.all(sourceId) as Uint8Array[]).map(uuidFromBytes),
    isParked: (key) => parked.get(key) !== undefined,
  };
}

import type { Connection } from '../store/database.ts';

/** What the handlers of a channel read. */
export interface ChannelReads {
  /** Whether the source is there, or was deleted; null: nobody has ever created it. */
  sourceState(sourceId: string): 'there' | 'deleted' | null;
}

export function channelReads(db: Connection): ChannelReads {
  const deleted = db.prepare('SELECT deleted FROM source WHERE source_id = ?').pluck();
  return {
    sourceState(sourceId) {
      const value = deleted.get(sourceId);
      if (value === undefined) return null;
      return value === 1 ? 'deleted' : 'there';
    },
  };
}

import { uuidToBytes } from '../uuid.ts';
import type { Connection } from '../store/database.ts';
import type { ChannelJson } from '../representation.ts';
import { channelJson } from './representation.ts';
import { channels } from './tables.ts';

export interface ChannelReader {
  find(id: string): ChannelJson | null;
  list(filter: { source?: string; sourceId?: string; includeDisconnected?: boolean }): ChannelJson[];
  /** `metadata.token` of a source-API channel: only for answers to that source and calls to it. */
  token(id: string): string | null;
}

export function channelReader(db: Connection): ChannelReader {
  const byId = channels.query(db, 'WHERE id = ?');
  const list = channels.query(
    db,
    `WHERE (@source IS NULL OR source = @source) AND (@sourceId IS NULL OR source_id = @sourceId)
     AND (@all = 1 OR connected = 1) ORDER BY key`,
  );
  return {
    find(id) {
      const row = byId.get(uuidToBytes(id));
      return row === null ? null : channelJson(row);
    },
    list: ({ source, sourceId, includeDisconnected }) =>
      list
        .all({ source: source ?? null, sourceId: sourceId ?? null, all: includeDisconnected ? 1 : 0 })
        .map(channelJson),
    token: (id) => byId.get(uuidToBytes(id))?.token ?? null,
  };
}

import { uuidToBytes } from '../runtime/uuid.ts';
import type { Connection } from '../store/database.ts';
import type { ChannelReader } from '../store/reader.ts';
import { rowQuery } from '../store/rows.ts';
import { channelJson } from './representation.ts';

export function channelReader(db: Connection): ChannelReader {
  const byId = rowQuery(db, 'channel', 'WHERE id = ?');
  const list = rowQuery(
    db,
    'channel',
    'WHERE (?1 IS NULL OR source = ?1) AND (?2 IS NULL OR source_id = ?2) AND (?3 = 1 OR connected = 1) ORDER BY key',
  );
  return {
    find(id) {
      const row = byId.get(uuidToBytes(id));
      return row === null ? null : channelJson(row);
    },
    list: ({ source, sourceId, includeDisconnected }) =>
      list.all(source ?? null, sourceId ?? null, includeDisconnected ? 1 : 0).map(channelJson),
    token: (id) => byId.get(uuidToBytes(id))?.token ?? null,
  };
}

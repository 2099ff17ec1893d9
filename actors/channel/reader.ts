import { uuidToBytes } from '../uuid.ts';
import type { Connection } from '../store/database.ts';
import { type Page, pageOf, type PageQuery } from '../store/page.ts';
import type { ChannelJson } from '../representation.ts';
import { channelJson, channelText, ownChannelText } from './representation.ts';
import { channels } from './tables.ts';

export interface ChannelFilter {
  source?: string;
  /** Only those of these. */
  sources?: readonly string[];
  includeDisconnected?: boolean;
}

export interface ChannelReader {
  find(id: string): ChannelJson | null;
  /** A page of the channels, oldest first; key `[created at, channel key]`. */
  page(query: PageQuery, filter: ChannelFilter): Page<ChannelJson>;
  /** A page of the connected channels of a registered source, as that source sees them: with their tokens. */
  ownPage(query: PageQuery, sourceId: string): Page<ChannelJson>;
  /** `metadata.token` of a source-API channel: only for answers to that source and calls to it. */
  token(id: string): string | null;
}

const wanted = `(@source IS NULL OR source = @source)
  AND (@sources IS NULL OR source IN (SELECT value FROM json_each(@sources))) AND (@sourceId IS NULL OR source_id = @sourceId)
  AND (@all = 1 OR connected = 1)`;

export function channelReader(db: Connection): ChannelReader {
  const byId = channels.query(db, 'WHERE id = ?');
  const after = channels.query(
    db,
    `WHERE ${wanted} AND (created_at, key) > (@at, @key) ORDER BY created_at, key LIMIT @limit`,
  );
  const before = channels.query(
    db,
    `WHERE ${wanted} AND (created_at, key) < (@at, @key) ORDER BY created_at DESC, key DESC LIMIT @limit`,
  );
  const counted = db.prepare(`SELECT count(*) FROM channel WHERE ${wanted}`).pluck();
  const page = (query: PageQuery, filter: ChannelFilter & { sourceId?: string }, shown: typeof channelText) => {
    const { source = null, sources, sourceId = null, includeDisconnected = false } = filter;
    const asked = {
      source,
      sources: sources ? JSON.stringify(sources) : null,
      sourceId,
      all: includeDisconnected ? 1 : 0,
    };
    return pageOf(
      query,
      (from, backwards, limit) => {
        const [at = Number.MIN_SAFE_INTEGER, key = 0] = from ?? [];
        return (backwards ? before : after).iterate({ ...asked, at, key, limit });
      },
      ({ created_at, key }) => [created_at, key],
      shown,
      counted.get(asked) as number,
    );
  };
  return {
    find(id) {
      const row = byId.get(uuidToBytes(id));
      return row === null ? null : channelJson(row);
    },
    page: (query, filter) => page(query, filter, channelText),
    ownPage: (query, sourceId) => page(query, { sourceId }, ownChannelText),
    token: (id) => byId.get(uuidToBytes(id))?.token ?? null,
  };
}

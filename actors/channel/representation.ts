import { parseJson } from '../json.ts';
import type { ChannelJson, JsonObject } from '../representation.ts';
import type { ChannelRow } from './tables.ts';

/** A stored channel as the API shows it. Its token is no part of it: only its own source may see that. */
export function channelJson(row: Readonly<ChannelRow>): ChannelJson {
  return {
    id: row.id,
    source: row.source,
    source_channel_id: row.source_channel_id,
    ...(row.source_id !== null && { source_id: row.source_id }),
    metadata: parseJson(row.metadata) as JsonObject,
    connected: row.connected === 1,
  };
}

/** A stored channel as its own source sees it: with the token that the source gave (docs/api.md, "Source API"). */
export function ownChannelJson(row: Readonly<ChannelRow>): ChannelJson {
  const channel = channelJson(row);
  return row.token === null ? channel : { ...channel, metadata: { ...channel.metadata, token: row.token } };
}

import { JsonText, parseJson } from '../json.ts';
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

/** The same as JSON text: metadata is such text already, and large where a source wants it to be. */
export const channelText = (row: Readonly<ChannelRow>): JsonText<ChannelJson> => textWith(row, row.metadata);

/** As its own source sees it: with the token that the source gave (docs/api.md, "Source API"). */
export const ownChannelText = (row: Readonly<ChannelRow>): JsonText<ChannelJson> =>
  textWith(row, row.token === null ? row.metadata : withToken(row.metadata, row.token));

function textWith(row: Readonly<ChannelRow>, metadata: string): JsonText<ChannelJson> {
  const { id, source, source_channel_id, source_id } = row;
  const names = JSON.stringify({ id, source, source_channel_id, ...(source_id !== null && { source_id }) });
  return new JsonText(`${names.slice(0, -1)},"metadata":${metadata},"connected":${row.connected === 1}}`);
}

/** A channel has a name at least, so its metadata is never empty; nothing that is stored there is called `token`. */
const withToken = (metadata: string, token: string): string =>
  `${metadata.slice(0, -1)},"token":${JSON.stringify(token)}}`;

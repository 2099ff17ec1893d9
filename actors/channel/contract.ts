import type { ChannelJson, JsonObject } from '../representation.ts';
import type { Address } from '../runtime/kind.ts';

/** What connecting a channel says about it. Absent optional values keep what was stored before. */
export interface ChannelConnect {
  source: string;
  sourceChannelId: string;
  /** Present on channels created through the source API. */
  sourceId?: string;
  name: string;
  imageUrl?: string;
  /** `metadata.token` of source-API channels: shown to that source only. */
  token?: string;
  /** Other metadata keys of the caller. */
  metadata?: JsonObject;
}

/** The commands of a channel: type → body and result. */
export type ChannelCommands = {
  /**
   * Creates, updates or reconnects. The result carries no token.
   * @throws Failure `unauthorized`: its source is deleted; `metadata_too_large`
   */
  'channel.connect': { body: ChannelConnect; result: { channel: ChannelJson } };
  /**
   * Idempotent; deletes the token. `lastTurn`, of a source that is deleted: the channel's turn that it saw; one that a
   * source created anew has connected since stays so. @throws Failure `channel_unknown`
   */
  'channel.disconnect': { body: { lastTurn: number } | null; result: { channel: ChannelJson } };
  /** Absent = keep, null = clear. @throws Failure `not_found`, `metadata_too_large` */
  'channel.update': { body: { name?: string; imageUrl?: string | null }; result: { channel: ChannelJson } };
  /** Merges under `metadata.user_data`; `null` removes a key. @throws Failure `not_found`, `metadata_too_large` */
  'metadata.upsert': { body: { data: JsonObject }; result: null };
};

/** A channel, as somebody whom other actors tell something. */
export const channelActor = (id: string): Address<ChannelCommands> => ({ kind: 'channel', id });

import type { ChannelJson } from '#actors/representation.ts';
import type { Services } from '#src/services.ts';

/** A channel as its own source sees it: with the token that the source gave (docs/api.md, "Source API"). */
export function withToken({ store }: Services, channel: ChannelJson): ChannelJson {
  const token = store.channels.token(channel.id);
  return token === null ? channel : { ...channel, metadata: { ...channel.metadata, token } };
}

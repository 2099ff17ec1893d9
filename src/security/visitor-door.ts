import { Failure } from '#actors/errors.ts';
import type { Services } from '#src/services.ts';
import type { Visitor } from './caller.ts';
import type { VisitTokenUse } from './visitor-token.ts';

type DoorServices = Pick<Services, 'visitorTokens' | 'store'>;

/**
 * The visitor whom a token names, whose channel can be used now. Null: it is no token of this use.
 * @throws Failure `channel_not_connected`
 */
export async function visitorBy(
  { visitorTokens, store }: DoorServices,
  use: VisitTokenUse,
  token: string,
): Promise<Visitor | null> {
  const claims = await visitorTokens.verify(use, token);
  if (claims === null) return null;
  assertOpen({ store }, claims.channelId);
  return { kind: 'visitor', ...claims };
}

/** Visitors may come to a channel. @throws Failure `channel_not_connected` */
export function assertOpen({ store }: Pick<Services, 'store'>, channelId: string): void {
  if (store.channels.find(channelId)?.connected === true) return;
  throw new Failure('channel_not_connected', 'The channel of this conversation is not connected.');
}

/**
 * Whether a page may use a channel: any may, where the channel names none.
 * @throws Failure `forbidden`
 */
export function assertPageMay({ store }: Pick<Services, 'store'>, channelId: string, origin: string | undefined): void {
  const allowed = store.channels.find(channelId)?.metadata['allowed_origins'];
  if (!Array.isArray(allowed) || (origin !== undefined && allowed.includes(origin))) return;
  const message = 'Pages of this origin may not use this channel: it has others in allowed_origins.';
  throw new Failure('forbidden', message);
}

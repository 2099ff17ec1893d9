import type { ChannelReader } from '#actors/channel/reader.ts';
import type { SaidMetadata } from '#actors/conversation/contract.ts';
import type { FetchReader, FetchWork } from '#actors/conversation/fetch-reader.ts';
import type { Logger } from '#actors/ports.ts';
import type { CallTools } from '#src/connectors/calls.ts';
import type { Connector } from '#src/connectors/connector.ts';
import type { ConversationAtSource } from '#src/connectors/powers.ts';
import type { Connectors } from '#src/connectors/registry.ts';
import { durably, type DurableSending } from './durably.ts';
import type { EffectRow, Performed } from './lanes.ts';

export interface FetchOptions extends DurableSending {
  reader: FetchReader;
  channels: Pick<ChannelReader, 'token'>;
  connectors: Connectors;
  tools: CallTools;
  log: Logger;
  /** How long what can not be reached is tried, in ms. */
  giveUpAfter: number;
}

/** Between two tries of what could not be reached, in ms. */
const tryAgainAfter = 15_000;

/** What was fetched: what it says, nothing, or that its source can not be reached now. */
export type Fetched = { kind: 'said'; metadata: SaidMetadata } | { kind: 'nothing' } | { kind: 'unreachable' };

/** Asks who the contact of a conversation is. */
export const fetchProfile = (options: FetchOptions, effect: EffectRow): Promise<Performed> =>
  fetching(options, effect, options.reader.conversation(effect.subject), async ({ profiles }, at) => {
    const outcome = (await profiles?.profileOf(at, options.tools)) ?? { kind: 'unknown', error: 'no such power' };
    if (outcome.kind === 'unreachable') return outcome;
    if (outcome.kind === 'unknown') return { kind: 'nothing' };
    const contact = {
      ...(outcome.name !== null && { display_name: outcome.name }),
      ...(outcome.avatarUrl !== null && { avatar_url: outcome.avatarUrl }),
    };
    return { kind: 'said', metadata: { messageId: null, metadata: [{ contact }] } };
  });

/** Has the contact see that their messages were read. */
export const markRead = (options: FetchOptions, effect: EffectRow): Promise<Performed> =>
  fetching(options, effect, options.reader.conversation(effect.subject), async ({ readMarker }, at) => {
    const last = options.reader.lastOfContact(effect.subject);
    if (last === null || readMarker === undefined) return { kind: 'nothing' };
    const outcome = await readMarker.markRead(at, last, options.tools);
    return { kind: outcome === 'unreachable' ? 'unreachable' : 'nothing' };
  });

/**
 * Does one fetch. What can not be reached is tried again for a while; its message, or conversation, is there without it.
 * @param work null: what it is for was never stored
 */
export async function fetching<W extends FetchWork>(
  options: FetchOptions,
  effect: EffectRow,
  work: W | null,
  fetch: (connector: Connector, at: ConversationAtSource, work: W) => Promise<Fetched>,
): Promise<Performed> {
  if (work === null) return { done: true };
  const { clock, connectors, channels, giveUpAfter, log } = options;
  const { channel, conversation } = work;
  const connector = channel.connected && !work.erased ? connectors.of(channel) : null;
  const at = { channel, token: channels.token(channel.id), sourceConversationId: conversation.sourceConversationId };
  const fetched: Fetched = connector === null ? { kind: 'nothing' } : await fetch(connector, at, work);
  if (fetched.kind === 'unreachable' && clock.now() - effect.at < giveUpAfter) {
    return { done: false, retryAt: clock.now() + tryAgainAfter };
  }
  if (fetched.kind === 'unreachable') log.warn({ kind: effect.kind, conversation: conversation.id }, 'fetch.given_up');
  const said = fetched.kind === 'said' ? fetched.metadata : null;
  const origin = { cause: `effect ${effect.id}`, idempotencyKey: `effect ${effect.id}` };
  await durably(options, origin, (commands) =>
    commands.send('conversation', conversation.id, 'fetch.finish', { effect: effect.key, said }),
  );
  return { done: true };
}

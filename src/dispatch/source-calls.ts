import type { AttemptOutcome } from '#machines/message-delivery.ts';
import type { ChannelReader } from '#actors/channel/reader.ts';
import type { DeliveryWork } from '#actors/conversation/delivery-reader.ts';
import { mergedWithinBounds } from '#actors/metadata.ts';
import type { Clock, Ids } from '#actors/ports.ts';
import type { ChannelJson, JsonObject } from '#actors/representation.ts';
import type { SourceReader } from '#actors/source/reader.ts';
import type { Connector, RegisteredSource } from '#src/connectors/connector.ts';
import type { ConnectorHealth } from '#src/connectors/health.ts';
import type { Connectors } from '#src/connectors/registry.ts';
import type { OutgoingClient } from '#src/outgoing/client.ts';
import { TokenBuckets } from '#src/runtime/token-buckets.ts';

export interface SourceCallParts {
  sources: SourceReader;
  channels: Pick<ChannelReader, 'token'>;
  connectors: Connectors;
  health: ConnectorHealth;
  clock: Clock;
  ids: Ids;
  client: OutgoingClient;
  /** How long after its first call a send is given up, in ms. */
  giveUpAfter: number;
  /** The text of a source's token, the key of the signature. */
  tokenOf(sourceId: string, issuedAt: number): Promise<string>;
}

/** Calls sources, each by its connector. */
export class SourceCalls {
  readonly #parts: SourceCallParts;
  readonly #underWay = new Map<Promise<unknown>, Connector>();
  readonly #rates: TokenBuckets;

  constructor(parts: SourceCallParts) {
    this.#parts = parts;
    this.#rates = new TokenBuckets(parts.clock);
  }

  /** What a send comes to that nobody is called for; null: its source is to be called. */
  withoutCall(work: DeliveryWork): AttemptOutcome | null {
    const { channel } = work;
    if (!channel.connected) {
      return { kind: 'channel_not_connected', error: `The channel ${channel.id} is not connected.` };
    }
    const connector = this.#parts.connectors.of(channel);
    if (connector === null) return noConnector(channel);
    if (connector.deliver === 'collected') return { kind: 'awaits_recipient' };
    return this.#closedWindow(connector, work);
  }

  /** What is sent too late for the platform to take it is not tried: whoever sent it reads at once what can be done. */
  #closedWindow({ windows }: Connector, { channel, message, openUntil }: DeliveryWork): AttemptOutcome | null {
    const window = windows?.[channel.source];
    if (window === undefined || openUntil === null || this.#parts.clock.now() <= openUntil) return null;
    return window.takesLater(message.content) ? null : { kind: 'rejected', error: window.closed };
  }

  /** Asks for the place of a call where the platform takes only so many. @returns null, else after how many ms to ask again */
  admit({ channel, conversation }: DeliveryWork): number | null {
    const { perChannel, perConversation } = this.#parts.connectors.of(channel)?.limits ?? {};
    return this.#rates.take([
      ...(perChannel ? [[channel.id, perChannel] as const] : []),
      ...(perConversation ? [[conversation.id, perConversation] as const] : []),
    ]);
  }

  /** Makes one call. Only for sends whose source is to be called. */
  async make(work: DeliveryWork): Promise<AttemptOutcome> {
    const { connectors, health, client, clock, ids, giveUpAfter } = this.#parts;
    const { message, conversation, channel, knownToSource } = work;
    const registered = await this.#registered(work);
    const connector = connectors.of(channel);
    if (connector === null || connector.deliver === 'collected') return noConnector(channel);
    const token = this.#parts.channels.token(channel.id);
    const delivery = { message, conversation, channel, knownToSource, registered, token };
    const call = connector.deliver(delivery, { http: client, now: () => clock.now() });
    this.#underWay.set(call, connector);
    const outcome = await call.finally(() => this.#underWay.delete(call));
    health.called(connector, outcome);
    // What is nested without end could not even be sent to the actor.
    if (outcome.kind === 'succeeded') {
      return { ...outcome, metadata: mergedWithinBounds({}, outcome.metadata as JsonObject) };
    }
    if (outcome.kind === 'unreachable') return { ...outcome, jitter: ids.random(), giveUpAfter };
    return outcome.kind === 'throttled' ? { ...outcome, giveUpAfter } : outcome;
  }

  /** Resolves when connectors that are gone, or were made anew, have ended what they had begun. */
  async replacedEnded(): Promise<void> {
    const { all } = this.#parts.connectors;
    const calls = [...this.#underWay].filter(([, connector]) => !all.includes(connector)).map(([call]) => call);
    await Promise.allSettled(calls);
  }

  async #registered({ channel }: DeliveryWork): Promise<RegisteredSource | null> {
    const { sources, tokenOf } = this.#parts;
    const { source_id: sourceId } = channel;
    const found = sourceId === undefined ? null : sources.find(sourceId);
    if (sourceId === undefined || found === null) return null;
    const token = await tokenOf(sourceId, found.issuedAt);
    return { sourceId, actionEndpoint: found.source.action_endpoint ?? null, token };
  }
}

const noConnector = ({ source }: ChannelJson): AttemptOutcome => ({
  kind: 'rejected',
  error: `This hub has no connector for the source ${source}.`,
});

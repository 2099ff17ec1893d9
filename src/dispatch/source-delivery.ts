import type { AttemptOutcome } from '#machines/message-delivery.ts';
import type { CommandSender } from '#actors/commands.ts';
import type { DeliveryReader, DeliveryWork } from '#actors/conversation/delivery-reader.ts';
import type { Clock, Ids, Logger } from '#actors/ports.ts';
import { tellEffect } from '#actors/runtime/turn-runtime.ts';
import type { OutboxReader } from '#actors/store/outbox-reader.ts';
import type { SourceReader } from '#actors/source/reader.ts';
import type { RegisteredSource } from '#src/connectors/connector.ts';
import type { Connectors } from '#src/connectors/registry.ts';
import type { CircuitBreaker } from '#src/outgoing/circuit-breaker.ts';
import type { OutgoingClient } from '#src/outgoing/client.ts';
import type { Origin } from '#src/services.ts';
import { durably, Stopping } from './durably.ts';
import type { OwnedShards } from './owned-shards.ts';
import { type EffectRow, Lanes, type Performed } from './lanes.ts';
import { relay } from './relay.ts';

export interface SourceDeliveryOptions {
  outbox: OutboxReader;
  deliveries: DeliveryReader;
  sources: SourceReader;
  connectors: Connectors;
  shards: number;
  owned: OwnedShards;
  clock: Clock;
  ids: Ids;
  log: Logger;
  client: OutgoingClient;
  /** A circuit for each source. */
  breaker: CircuitBreaker;
  commandsFor(origin: Origin): CommandSender;
  /** The text of a source's token, the key of the signature. */
  tokenOf(sourceId: string, issuedAt: number): Promise<string>;
  /** Called with every outcome, for the metrics. */
  onAttempt?(outcome: AttemptOutcome['kind'], durationMs: number): void;
}

/** A durable timer fires a moment after its time; the lane looks again this much later, in ms. */
const timerGrace = 20;

/** Carries pending messages to their sources: when, in which order and how often; how is their connectors' matter. */
export class SourceDelivery {
  readonly #options: SourceDeliveryOptions;
  readonly #lanes: Lanes;
  /** Effects whose call this process has begun: a `calling` state of any other was left by a process that stopped. */
  readonly #begun = new Set<string>();
  #stopping = false;

  constructor(options: SourceDeliveryOptions) {
    this.#options = options;
    this.#lanes = new Lanes({
      outbox: options.outbox,
      shards: options.shards,
      owns: (shard) => options.owned.has(shard),
      clock: options.clock,
      perform: (effect) => this.#perform(effect),
      groupOf: (lane) => options.deliveries.sourceOfLane(lane) ?? '',
    });
  }

  wake(): void {
    this.#lanes.wake();
  }

  get backlog(): number {
    return this.#lanes.backlog;
  }

  stop(): Promise<void> {
    this.#stopping = true;
    return this.#lanes.stop();
  }

  async #perform(effect: EffectRow): Promise<Performed> {
    const { clock, deliveries, log, commandsFor } = this.#options;
    if (effect.kind === tellEffect) return relay({ clock, log, commandsFor, stopping: () => this.#stopping }, effect);
    const work = deliveries.find(effect.subject);
    if (work === null || work.pending === null) return { done: true };
    if (work.pending === 'backingOff') {
      return { done: false, retryAt: Math.max(clock.now(), work.backingOffUntil ?? 0) + timerGrace };
    }
    try {
      if (work.pending === 'calling' && !this.#begun.has(effect.id)) {
        return await this.#finish(effect, work, work.revision, { kind: 'outcome_unknown' });
      }
      const started = await this.#durably(effect, 'start', (commands) =>
        commands.send('conversation', work.conversation.id, 'attempt.start', {
          messageId: work.message.id,
          effectId: effect.id,
        }),
      );
      if (!started.started) return { done: false, retryAt: clock.now() + timerGrace };
      this.#begun.add(effect.id);
      const begun = clock.now();
      const outcome = await this.#attempt(work);
      const fields = {
        message: work.message.id,
        attempt: started.attempt,
        outcome: outcome.kind,
        ms: clock.now() - begun,
      };
      log.info(fields, 'delivery.attempted');
      this.#options.onAttempt?.(outcome.kind, fields.ms);
      return await this.#finish(effect, work, started.revision, outcome);
    } catch (error) {
      if (!(error instanceof Stopping))
        log.error({ message: work.message.id, reason: String(error) }, 'delivery.failed');
      return { done: false, retryAt: clock.now() + 1_000 };
    } finally {
      this.#begun.delete(effect.id);
    }
  }

  /** @param revision of the attempt */
  async #finish(effect: EffectRow, work: DeliveryWork, revision: number, outcome: AttemptOutcome): Promise<Performed> {
    const { retryAt } = await this.#durably(effect, 'finish', (commands) =>
      commands.send('conversation', work.conversation.id, 'attempt.finish', {
        messageId: work.message.id,
        effectId: effect.id,
        revision,
        outcome,
      }),
    );
    return retryAt === null ? { done: true } : { done: false, retryAt: retryAt + timerGrace };
  }

  async #attempt(work: DeliveryWork): Promise<AttemptOutcome> {
    const { connectors, breaker, client, ids, clock } = this.#options;
    const { message, conversation, channel, knownToSource } = work;
    if (!channel.connected) {
      return { kind: 'channel_not_connected', error: `The channel ${channel.id} is not connected.` };
    }
    const connector = connectors.of(channel);
    if (connector === null) {
      return { kind: 'rejected', error: `This hub has no connector for the source ${channel.source}.` };
    }
    if (!breaker.admit(channel.source)) {
      const error = 'The source was unreachable several times in a row and is left alone for a moment.';
      return { kind: 'unreachable', error, jitter: ids.random() };
    }
    const delivery = { message, conversation, channel, knownToSource, registered: await this.#registered(work) };
    const outcome = await connector.deliver(delivery, { http: client, now: () => clock.now() });
    breaker.record(channel.source, outcome.kind !== 'unreachable');
    return outcome.kind === 'unreachable' ? { ...outcome, jitter: ids.random() } : outcome;
  }

  async #registered({ channel }: DeliveryWork): Promise<RegisteredSource | null> {
    const { sources, tokenOf } = this.#options;
    const { source_id: sourceId } = channel;
    const found = sourceId === undefined ? null : sources.find(sourceId);
    if (sourceId === undefined || found === null) return null;
    const token = await tokenOf(sourceId, found.issuedAt);
    return { sourceId, actionEndpoint: found.source.action_endpoint ?? null, token };
  }

  /** The command ids are this one's own: a dispatcher of another node may be at the same step at the same moment. */
  #durably<T>(effect: EffectRow, step: string, send: (commands: CommandSender) => Promise<T>): Promise<T> {
    const { clock, commandsFor, ids } = this.#options;
    const origin = { cause: `effect ${effect.id}`, idempotencyKey: `effect ${effect.id} ${step} ${ids.uuid()}` };
    return durably({ clock, commandsFor, stopping: () => this.#stopping }, origin, send);
  }
}

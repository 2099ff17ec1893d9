import type { AttemptOutcome } from '#machines/message-delivery.ts';
import type { CommandSender } from '#actors/commands.ts';
import { accountOf, type DeliveryReader, type DeliveryWork } from '#actors/conversation/delivery-reader.ts';
import type { Failure } from '#actors/errors.ts';
import { leftOut } from '#actors/metadata.ts';
import type { Clock, Ids, Logger } from '#actors/ports.ts';
import type { OutboxReader } from '#actors/store/outbox-reader.ts';
import type { CircuitBreaker } from '#src/outgoing/circuit-breaker.ts';
import type { Origin } from '#src/services.ts';
import { durably, type DurableSending, Stopping } from './durably.ts';
import type { OwnedShards } from './owned-shards.ts';
import { type EffectRow, Lanes, type Performed } from './lanes.ts';
import type { SourceCalls } from './source-calls.ts';

export interface SourceDeliveryOptions {
  outbox: OutboxReader;
  deliveries: DeliveryReader;
  shards: number;
  owned: OwnedShards;
  clock: Clock;
  ids: Ids;
  log: Logger;
  calls: SourceCalls;
  /** A circuit for each account (`accountOf`). */
  breaker: CircuitBreaker;
  commandsFor(origin: Origin): CommandSender;
  /** Who does the effects, by their kinds, that are no calls to sources. */
  others: Readonly<Record<string, Performer>>;
  /** As `Services` has it. */
  unread(error: unknown): Failure | null;
  /** Called with every outcome, for the metrics. */
  onAttempt?(outcome: AttemptOutcome['kind'], durationMs: number): void;
}

/** Does effects of a kind. */
export interface Performer {
  perform(sending: DurableSending, effect: EffectRow): Promise<Performed>;
  /** What shares a bound with an effect; absent: the account that its lane delivers to. */
  groupOf?(effect: EffectRow): string;
}

/** One call that was made, and what it came to. */
interface Call {
  /** Of its attempt. */
  revision: number;
  outcome: AttemptOutcome;
}

/** The same without what else the source said: a defect that this causes must not make the outcome unknown. */
function withoutWords({ revision, outcome }: Call): Call {
  if (outcome.kind !== 'succeeded') return { revision, outcome };
  return { revision, outcome: { ...outcome, metadata: leftOut('it could not be stored') } };
}

/** A durable timer fires a moment after its time; the lane looks again this much later, in ms. */
const timerGrace = 20;

/** Carries pending messages to their sources: when, in which order and how often; how is their connectors' matter. */
export class SourceDelivery {
  readonly #options: SourceDeliveryOptions;
  readonly #lanes: Lanes;
  /** Effects whose call this process has begun: a `calling` state of any other was left by a process that stopped. */
  readonly #begun = new Set<string>();
  /** Calls whose outcome is known and not recorded yet, by their effects. */
  readonly #unrecorded = new Map<string, Call>();
  #stopping = false;

  constructor(options: SourceDeliveryOptions) {
    this.#options = options;
    this.#lanes = new Lanes({
      outbox: options.outbox,
      shards: options.shards,
      owns: (shard) => options.owned.has(shard),
      clock: options.clock,
      perform: (effect) => this.#perform(effect),
      failed: (error) => this.#failed(error, {}),
      groupOf: (effect) =>
        options.others[effect.kind]?.groupOf?.(effect) ?? options.deliveries.accountOfLane(effect.lane) ?? '',
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
    const { clock, commandsFor, deliveries, others } = this.#options;
    const other = others[effect.kind];
    if (other !== undefined) return other.perform({ clock, commandsFor, stopping: () => this.#stopping }, effect);
    const work = deliveries.find(effect.subject);
    if (work === null || this.#isOver(effect, work)) this.#unrecorded.delete(effect.id);
    if (work === null || work.pending === null) return { done: true };
    if (work.pending === 'backingOff') {
      return { done: false, retryAt: Math.max(clock.now(), work.backingOffUntil ?? 0) + timerGrace };
    }
    try {
      return await this.#carry(effect, work);
    } catch (error) {
      this.#failed(error, { message: work.message.id });
      return { done: false, retryAt: clock.now() + 1_000 };
    }
  }

  #failed(error: unknown, about: { message?: string }): void {
    const { log, unread } = this.#options;
    if (error instanceof Stopping || unread(error) !== null) return;
    log.error({ ...about, reason: String(error) }, 'delivery.failed');
  }

  /** Whether what its last call came to matters no more: it is recorded, or another owner has begun the next call. */
  #isOver({ id }: EffectRow, { pending, revision }: DeliveryWork): boolean {
    const known = this.#unrecorded.get(id);
    const isReplaced = known !== undefined && known.outcome.kind !== 'succeeded' && revision > known.revision;
    return pending !== 'calling' || isReplaced;
  }

  /** Carries a send as far as it gets now. */
  async #carry(effect: EffectRow, work: DeliveryWork): Promise<Performed> {
    const { breaker, calls, clock } = this.#options;
    const known = this.#unrecorded.get(effect.id);
    if (known !== undefined) return this.#record(effect, work, known);
    if (work.pending === 'calling' && !this.#begun.has(effect.id)) {
      return this.#finish(effect, work, work.revision, { kind: 'outcome_unknown' });
    }
    const uncalled = calls.withoutCall(work);
    if (uncalled !== null) return this.#finish(effect, work, work.revision, uncalled);
    // Before the attempt starts: a call that is not made is no try, and the history has no attempt that never was.
    const wait = calls.admit(work) ?? breaker.admit(accountOf(work.channel));
    if (wait !== null) return { done: false, retryAt: clock.now() + wait };
    const started = await this.#durably(effect, 'start', (commands) =>
      commands.send('conversation', work.conversation.id, 'attempt.start', {
        messageId: work.message.id,
        effectId: effect.id,
      }),
    );
    if (!started.started) return { done: false, retryAt: clock.now() + timerGrace };
    this.#begun.add(effect.id);
    try {
      const outcome = await this.#attempt(work, started.attempt);
      return await this.#record(effect, work, { revision: started.revision, outcome });
    } finally {
      this.#begun.delete(effect.id);
    }
  }

  async #attempt(work: DeliveryWork, attempt: number): Promise<AttemptOutcome> {
    const { breaker, calls, clock, log } = this.#options;
    const account = accountOf(work.channel);
    const begun = clock.now();
    const outcome = await calls.make(work);
    const ms = clock.now() - begun;
    log.info({ message: work.message.id, attempt, outcome: outcome.kind, ms }, 'delivery.attempted');
    this.#options.onAttempt?.(outcome.kind, ms);
    const closed = breaker.record(account, outcome.kind !== 'unreachable');
    if (closed) this.#lanes.lookAgain(account);
    return outcome;
  }

  /** From here on the outcome of the call is known: whatever goes wrong, only its recording is tried again. */
  async #record(effect: EffectRow, work: DeliveryWork, call: Call): Promise<Performed> {
    this.#unrecorded.set(effect.id, call);
    try {
      return await this.#finish(effect, work, call.revision, call.outcome);
    } catch (error) {
      if (!(error instanceof Stopping)) this.#unrecorded.set(effect.id, withoutWords(call));
      throw error;
    }
  }

  /** @param revision of the attempt, or of the delivery as it was read */
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

  /** The command ids are this one's own: a dispatcher of another node may be at the same step at the same moment. */
  #durably<T>(effect: EffectRow, step: string, send: (commands: CommandSender) => Promise<T>): Promise<T> {
    const { clock, commandsFor, ids } = this.#options;
    const origin = { cause: `effect ${effect.id}`, idempotencyKey: `effect ${effect.id} ${step} ${ids.uuid()}` };
    return durably({ clock, commandsFor, stopping: () => this.#stopping }, origin, send);
  }
}

import type { CommandSender } from '#actors/commands.ts';
import type { Failure } from '#actors/errors.ts';
import type { Cancel, Clock, Ids, Logger } from '#actors/ports.ts';
import type {
  DeliveryOutcome,
  SubscriptionState,
  SubscriptionWork,
  WebhookDeliveryReader,
} from '#actors/webhook-subscription/contract.ts';
import { durably } from '#src/dispatch/durably.ts';
import type { OutgoingClient } from '#src/outgoing/client.ts';
import type { Origin } from '#src/services.ts';
import type { RecordBody } from './recorder.ts';
import { SubscriptionRunner } from './runner.ts';
import { SharedEvents } from './shared-events.ts';
import { Permits } from './permits.ts';
import { Alarms } from './alarms.ts';

export interface WebhookDispatcherOptions {
  reader: WebhookDeliveryReader;
  clock: Clock;
  ids: Ids;
  log: Logger;
  client: OutgoingClient;
  commandsFor(origin: Origin): CommandSender;
  /** As `Services` has it. */
  unread(error: unknown): Failure | null;
  /** Whether a subscription is to be served here; `wake` asks. Default: all are. */
  serves?(subscription: string): boolean;
  /** Total time of a call in ms; default 15,000. */
  timeoutMs?: number;
  /** Called with every outcome, for the metrics. */
  onAttempt?(outcome: DeliveryOutcome['kind']): void;
}

/** The longest wait for a key's end, in ms: a timer holds no longer one. */
const longestWait = 24 * 60 * 60 * 1_000;
/** How long `stop` waits for running calls, in ms. One that is cut off is sent again after the next start. */
const patience = 5_000;

/** Sends the events that webhook subscriptions want: one runner for each, bounded together. */
export class WebhookDispatcher {
  readonly #options: WebhookDispatcherOptions;
  readonly #runners = new Map<string, SubscriptionRunner>();
  /** Runners of subscriptions that are not served here any more, until what they have begun is over. */
  readonly #leaving = new Map<string, SubscriptionRunner>();
  readonly #permits = new Permits();
  readonly #events: SharedEvents;
  readonly #alarms: Alarms;
  #woken: Cancel | null = null;
  #lookDue = false;
  #ending = false;
  #stopping = false;

  constructor(options: WebhookDispatcherOptions) {
    this.#options = options;
    this.#events = new SharedEvents(options.reader, options.clock);
    this.#alarms = new Alarms(options.clock);
  }

  /** Looks at all subscriptions. Called at the start and whenever one, or a delivery, may have changed. */
  wake(): void {
    this.#lookDue = true;
    this.#wakeSoon();
  }

  /** Lets each subscription read on. Called whenever the feed may have grown. */
  feedGrew(): void {
    this.#wakeSoon();
  }

  /** Calls under way. */
  get inFlight(): number {
    return this.#permits.used;
  }

  /** Events that were read and are neither delivered nor scheduled, of all subscriptions. */
  get open(): number {
    let open = 0;
    for (const runner of this.#runners.values()) open += runner.open;
    return open;
  }

  /** Begins nothing more, as the hub stops; resolves when what was under way is recorded, after 5 s at the latest. */
  async stop(): Promise<void> {
    this.#stopping = true;
    await this.#end(patience);
  }

  /** Begins nothing more, in a hub that goes on; resolves when what was under way is recorded, however long it takes. */
  drain(): Promise<void> {
    return this.#end();
  }

  async #end(patience?: number): Promise<void> {
    this.#ending = true;
    this.#woken?.();
    this.#alarms.cancelAll();
    const runners = [...this.#runners.values(), ...this.#leaving.values()];
    await Promise.all(runners.map((runner) => runner.stop(patience)));
  }

  #wakeSoon(): void {
    if (this.#ending || this.#woken !== null) return;
    this.#woken = this.#options.clock.soon(() => {
      this.#woken = null;
      if (this.#lookDue) this.#look();
      else for (const runner of this.#runners.values()) runner.feedGrew();
    });
  }

  #look(): void {
    this.#lookDue = false;
    const { clock, reader, log, serves, unread } = this.#options;
    try {
      const gone = new Set(this.#runners.keys());
      for (const work of reader.subscriptions(clock.now())) {
        // Of two runners, each would send what the other one has sent and not recorded.
        if (serves?.(work.id) === false || this.#leaving.has(work.id)) continue;
        gone.delete(work.id);
        const runner = this.#runners.get(work.id);
        if (runner === undefined) this.#runners.set(work.id, this.#runner(work));
        else runner.update(work);
        this.#lookWhenKeysEnd(work);
      }
      for (const id of gone) this.#leave(id);
    } catch (error) {
      // The next signal, or the next second, looks again.
      this.#lookDue = true;
      if (unread(error) === null) log.error({ reason: String(error) }, 'webhooks.look_failed');
    }
  }

  #leave(id: string): void {
    const runner = this.#runners.get(id)!;
    this.#runners.delete(id);
    this.#leaving.set(id, runner);
    void runner.stop().then(() => {
      this.#leaving.delete(id);
      this.wake();
    });
  }

  /** Nothing is signalled when a key's time is over. */
  #lookWhenKeysEnd({ id, signatureKeysUntil: until }: SubscriptionWork): void {
    if (until === null) return;
    const wait = Math.min(until - this.#options.clock.now(), longestWait);
    this.#alarms.later(`keys ${id} ${until}`, wait, () => this.wake());
  }

  #runner(work: ReturnType<WebhookDeliveryReader['subscriptions']>[number]): SubscriptionRunner {
    const { reader, clock, ids, log, client, unread, timeoutMs, onAttempt } = this.#options;
    return new SubscriptionRunner(work, {
      reader,
      clock,
      ids,
      log,
      client,
      unread,
      permits: this.#permits,
      events: this.#events,
      ...(timeoutMs !== undefined && { timeoutMs }),
      ...(onAttempt && { onAttempt }),
      reload: (id) => reader.subscriptions(clock.now()).find((other) => other.id === id) ?? null,
      send: (id, body) => this.#send(id, body),
    });
  }

  #send(id: string, body: RecordBody): Promise<{ state: SubscriptionState }> {
    const { clock, commandsFor, ids } = this.#options;
    const origin = { cause: `webhook ${id}`, idempotencyKey: `webhook ${id} ${ids.uuid()}` };
    return durably({ clock, commandsFor, stopping: () => this.#stopping }, origin, (commands) =>
      commands.send('webhook-subscription', id, 'deliveries.record', body),
    );
  }
}

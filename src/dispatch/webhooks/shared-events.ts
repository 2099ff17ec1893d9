import type { Clock } from '#actors/ports.ts';
import type { WebhookDeliveryReader, WebhookEvent } from '#actors/webhook-subscription/contract.ts';

/** Characters of all events that are kept. */
const keptLength = 4 * 1024 * 1024;
/** Events are kept this long, in ms: what is pruned or erased must not be sent for long. */
const keptFor = 1_000;

/** Events that subscriptions are about to send. Each is read once, with others that are wanted soon, for all of them. */
export class SharedEvents {
  readonly #reader: Pick<WebhookDeliveryReader, 'events'>;
  readonly #clock: Pick<Clock, 'now'>;
  readonly #kept = new Map<number, WebhookEvent>();
  #length = 0;
  /** Epoch ms at which the first of those that are kept was read. */
  #since = 0;

  constructor(reader: Pick<WebhookDeliveryReader, 'events'>, clock: Pick<Clock, 'now'>) {
    this.#reader = reader;
    this.#clock = clock;
  }

  /**
   * The event of a feed row, null once it is pruned.
   * @param wanted the keys of the page to read if it is not known: this one first
   */
  find(feedKey: number, wanted: () => readonly number[]): WebhookEvent | null {
    const now = this.#clock.now();
    const age = now - this.#since;
    // A clock may go back.
    if (age < 0 || age >= keptFor || this.#length > keptLength) this.#forget(now);
    const known = this.#kept.get(feedKey);
    if (known !== undefined) return known;
    for (const [key, event] of this.#reader.events(wanted())) {
      if (!this.#kept.has(key)) this.#length += event.length;
      this.#kept.set(key, event);
    }
    return this.#kept.get(feedKey) ?? null;
  }

  #forget(now: number): void {
    this.#kept.clear();
    this.#length = 0;
    this.#since = now;
  }
}

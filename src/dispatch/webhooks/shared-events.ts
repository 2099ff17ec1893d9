import type { Clock } from '#actors/ports.ts';
import type { WebhookDeliveryReader, WebhookEvent } from '#actors/webhook-subscription/contract.ts';

/** Characters of the newer half of what is kept. Little: what lives long makes garbage collection dear. */
const halfLength = 256 * 1024;
/** A half is begun anew after so long at the latest, in ms: what is pruned or erased must not be sent for long. */
const halfFor = 500;

/** Events that subscriptions are about to send. Each is read once, with others that are wanted soon, for all of them. */
export class SharedEvents {
  readonly #reader: Pick<WebhookDeliveryReader, 'events'>;
  readonly #clock: Pick<Clock, 'now'>;
  #newer = new Map<number, WebhookEvent>();
  #older = new Map<number, WebhookEvent>();
  #length = 0;
  /** Epoch ms at which the newer half was begun. */
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
    this.#forget();
    const known = this.#newer.get(feedKey) ?? this.#older.get(feedKey);
    if (known !== undefined) return known;
    for (const [key, event] of this.#reader.events(wanted())) {
      this.#length += event.length;
      this.#newer.set(key, event);
    }
    return this.#newer.get(feedKey) ?? null;
  }

  #forget(): void {
    const now = this.#clock.now();
    const age = now - this.#since;
    // A clock may go back.
    const over = age < 0 || age >= 2 * halfFor;
    if (!over && age < halfFor && this.#length <= halfLength) return;
    this.#older = over ? new Map() : this.#newer;
    this.#newer = new Map();
    this.#length = 0;
    this.#since = now;
  }
}

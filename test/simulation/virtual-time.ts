import type { Cancel } from '#actors/ports.ts';

interface Entry {
  due: number;
  order: number;
  run: (() => void) | null;
}

const before = (a: Entry, b: Entry): boolean => a.due < b.due || (a.due === b.due && a.order < b.order);

/** More events than a run may have: something goes round and round. */
export class Endless extends Error {
  override readonly name = 'Endless';
}

/**
 * Everything that happens in a run happens here, one event after the other: between two events all promises settle,
 * so the order of a run depends on nothing but its seed.
 */
export class VirtualTime {
  /** Told of what an event throws: in a real process nobody would catch it. */
  onDefect: (error: unknown) => void = () => {};
  readonly #mostEvents: number;
  #now = Date.UTC(2026, 0, 1);
  #order = 0;
  /** A binary heap, the next event first. */
  readonly #heap: Entry[] = [];
  #events = 0;
  #leapt = 0;

  constructor(mostEvents = Number.POSITIVE_INFINITY) {
    this.#mostEvents = mostEvents;
  }

  now(): number {
    return this.#now;
  }

  /** As `now`, but for what was only the clock's. */
  elapsed(): number {
    return this.#now;
  }

  /** Time that went by as it usually does: without leaps. */
  passed(): number {
    return this.#now - this.#leapt;
  }

  get events(): number {
    return this.#events;
  }

  after(delayMs: number, run: () => void): Cancel {
    const entry: Entry = { due: this.#now + Math.max(0, delayMs), order: this.#order++, run };
    this.#push(entry);
    return () => {
      entry.run = null;
    };
  }

  /** Time leaps, as on a machine that was suspended: what was due meanwhile comes late. */
  leap(ms: number): void {
    this.#now += ms;
    this.#leapt += ms;
  }

  /**
   * Runs what is due in the next `ms`.
   * @throws Endless
   */
  async pass(ms: number): Promise<void> {
    const until = this.#now + ms;
    for (let top = this.#heap[0]; top !== undefined && top.due <= until; top = this.#heap[0]) {
      this.#pop();
      if (top.run === null) continue;
      if (this.#events === this.#mostEvents) throw new Endless(`more than ${this.#mostEvents} events`);
      this.#now = Math.max(this.#now, top.due);
      this.#events++;
      try {
        top.run();
      } catch (error) {
        this.onDefect(error);
      }
      await settled();
    }
    this.#now = Math.max(this.#now, until);
  }

  #push(entry: Entry): void {
    const heap = this.#heap;
    let at = heap.push(entry) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!before(entry, heap[parent]!)) break;
      heap[at] = heap[parent]!;
      at = parent;
    }
    heap[at] = entry;
  }

  #pop(): void {
    const heap = this.#heap;
    const last = heap.pop()!;
    if (heap.length === 0) return;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && before(heap[child + 1]!, heap[child]!)) child++;
      if (!before(heap[child]!, last)) break;
      heap[at] = heap[child]!;
      at = child;
    }
    heap[at] = last;
  }
}

/** Resolves when no promise is left that could go on by itself: immediates run after all microtasks. */
export const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

import type { Cancel } from '#actors/ports.ts';

interface Entry {
  due: number;
  order: number;
  run: (() => void) | null;
}

const before = (a: Entry, b: Entry): boolean => a.due < b.due || (a.due === b.due && a.order < b.order);

/**
 * Everything that happens in a run happens here, one event after the other: between two events all promises settle,
 * so the order of a run depends on nothing but its seed.
 */
export class VirtualTime {
  #now = Date.UTC(2026, 0, 1);
  #order = 0;
  /** A binary heap, the next event first. */
  readonly #heap: Entry[] = [];
  #events = 0;

  now(): number {
    return this.#now;
  }

  /** As `now`, but for what was only the clock's. */
  elapsed(): number {
    return this.#now;
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

  /** The clock leaps, as after a suspended machine: what was due meanwhile comes late. */
  leap(ms: number): void {
    this.#now += ms;
  }

  /** Runs what is due in the next `ms`. */
  async pass(ms: number): Promise<void> {
    const until = this.#now + ms;
    for (let top = this.#heap[0]; top !== undefined && top.due <= until; top = this.#heap[0]) {
      this.#pop();
      if (top.run === null) continue;
      this.#now = Math.max(this.#now, top.due);
      this.#events++;
      top.run();
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

import type { Snapshot } from '#machines/step.ts';

/** An actor in memory: what its snapshot says, plus what its kind keeps at hand. Every commit has stored it already. */
export interface ActiveActor {
  readonly key: number;
  readonly kind: string;
  readonly id: string;
  /** No row yet. */
  isNew: boolean;
  revision: number;
  /** Number of the last event of this actor as a subject. */
  seq: number;
  /** Null for kinds without a machine. */
  snapshot: Snapshot | null;
  /** What the kind's `load` made of its rows. */
  memory: unknown;
}

/** The least recently used actors leave memory first. Passivation is only dropping: nothing is written. */
export class Activations {
  readonly #capacity: number;
  readonly #actors = new Map<string, ActiveActor>();

  constructor(capacity = 20_000) {
    this.#capacity = capacity;
  }

  get(kind: string, id: string): ActiveActor | null {
    const name = `${kind} ${id}`;
    const actor = this.#actors.get(name);
    if (actor === undefined) return null;
    this.#actors.delete(name);
    this.#actors.set(name, actor);
    return actor;
  }

  keep(actor: ActiveActor): void {
    this.#actors.set(`${actor.kind} ${actor.id}`, actor);
    if (this.#actors.size > this.#capacity) {
      const oldest = this.#actors.keys().next().value;
      if (oldest !== undefined) this.#actors.delete(oldest);
    }
  }

  drop(kind: string, id: string): void {
    this.#actors.delete(`${kind} ${id}`);
  }

  /** After a batch was rolled back no memory of it may stay. */
  clear(): void {
    this.#actors.clear();
  }

  get size(): number {
    return this.#actors.size;
  }
}

import type { Snapshot } from '#machines/step.ts';
import type { ActorRow } from '../store/tables.ts';

/** An actor in memory: its row, its machine's snapshot and what its kind keeps at hand. Every commit has stored it already. */
export interface ActiveActor {
  readonly kind: string;
  /** Not in the file yet. */
  isNew: boolean;
  /** As it is after the turns so far: never older than what is stored. */
  row: ActorRow;
  /** Null for kinds without a machine. */
  snapshot: Snapshot | null;
  /** What the kind's `load` made of its rows. */
  memory: unknown;
  /** Bytes that it takes, roughly. */
  size: number;
}

export interface ActivationLimits {
  actors: number;
  bytes: number;
}

export const defaultActivationLimits: ActivationLimits = { actors: 20_000, bytes: 32 * 1024 * 1024 };

/** Of an actor without its texts: row, snapshot, memory and its place in the map. */
const fixedSize = 1_200;

/** The least recently used actors leave memory first. Passivation is only dropping: nothing is written. */
export class Activations {
  readonly #limits: ActivationLimits;
  readonly #actors = new Map<string, ActiveActor>();
  #bytes = 0;

  constructor(limits: ActivationLimits = defaultActivationLimits) {
    this.#limits = limits;
  }

  get(kind: string, id: string): ActiveActor | null {
    const name = nameOf(kind, id);
    const actor = this.#actors.get(name);
    if (actor === undefined) return null;
    this.#actors.delete(name);
    this.#actors.set(name, actor);
    return actor;
  }

  /** Takes an actor in, or notices what a turn made of its size. */
  keep(actor: ActiveActor): void {
    const name = nameOf(actor.kind, actor.row.id);
    const before = this.#actors.get(name);
    if (before !== undefined) this.#bytes -= before.size;
    actor.size = sizeOf(actor.row);
    this.#bytes += actor.size;
    this.#actors.set(name, actor);
    while (this.#actors.size > this.#limits.actors || (this.#bytes > this.#limits.bytes && this.#actors.size > 1)) {
      const [oldest] = this.#actors.keys();
      this.#remove(oldest!);
    }
  }

  drop(kind: string, id: string): void {
    this.#remove(nameOf(kind, id));
  }

  /** After a batch was rolled back no memory of it may stay. */
  clear(): void {
    this.#actors.clear();
    this.#bytes = 0;
  }

  get size(): number {
    return this.#actors.size;
  }

  get bytes(): number {
    return this.#bytes;
  }

  #remove(name: string): void {
    const actor = this.#actors.get(name);
    if (actor === undefined) return;
    this.#bytes -= actor.size;
    this.#actors.delete(name);
  }
}

const nameOf = (kind: string, id: string): string => `${kind} ${id}`;

/** Texts are there twice: in the row, and parsed in the kind's memory. */
function sizeOf(row: ActorRow): number {
  let size = fixedSize;
  const columns = row as unknown as Record<string, unknown>;
  for (const name in columns) {
    const value = columns[name];
    if (typeof value === 'string') size += value.length * 2;
  }
  return size;
}

import type { VirtualTime } from './virtual-time.ts';

/** A time in which one node owns a shard, by the log: from its takeover to that of another node. */
export interface Tenure {
  node: string;
  /** Virtual time of its beginning, and the same without leaps, in ms. */
  since: number;
  begun: number;
}

/** Who owns which shard, whoever else thinks so. */
export class Tenures {
  readonly #time: VirtualTime;
  readonly #current: Tenure[];
  /** When a node was replaced in a shard, without leaps, in ms. */
  readonly #ended = new Map<string, number>();

  /** @param node who owns all shards at first */
  constructor(time: VirtualTime, shards: number, node: string) {
    this.#time = time;
    this.#current = Array.from({ length: shards }, () => ({
      node,
      since: time.now(),
      begun: Number.NEGATIVE_INFINITY,
    }));
  }

  /** The log has a takeover. @returns whether it is that of another node */
  taken(shard: number, node: string): boolean {
    const before = this.of(shard);
    if (before.node === node) return false;
    const begun = this.#time.passed();
    this.#ended.set(`${before.node} ${shard}`, begun);
    this.#current[shard] = { node, since: this.#time.now(), begun };
    return true;
  }

  of(shard: number): Tenure {
    return this.#current[shard]!;
  }

  /** Those of all shards at this moment. */
  now(): readonly Tenure[] {
    return [...this.#current];
  }

  /** For how long a node has not been the owner of a shard, leaps left out, in ms; 0: it is. */
  absence(shard: number, node: string): number {
    const tenure = this.of(shard);
    if (tenure.node === node) return 0;
    return this.#time.passed() - (this.#ended.get(`${node} ${shard}`) ?? Number.NEGATIVE_INFINITY);
  }
}

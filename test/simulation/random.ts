import type { Ids } from '#actors/ports.ts';

/** splitmix32: spreads a small seed over the generator's state. */
function* spread(seed: number): Generator<number, never> {
  let state = seed >>> 0;
  for (;;) {
    state = (state + 0x9e3779b9) >>> 0;
    let z = state;
    z = Math.imul(z ^ (z >>> 16), 0x21f0aaad);
    z = Math.imul(z ^ (z >>> 15), 0x735a2d97);
    yield (z ^ (z >>> 15)) >>> 0;
  }
}

/** The one source of chance of a run: xoshiro128**. The same seed gives the same numbers on every machine. */
export class Random implements Ids {
  #a: number;
  #b: number;
  #c: number;
  #d: number;

  constructor(seed: number) {
    const numbers = spread(seed);
    this.#a = numbers.next().value;
    this.#b = numbers.next().value;
    this.#c = numbers.next().value;
    this.#d = numbers.next().value;
  }

  /** 32 random bits. */
  bits(): number {
    const product = Math.imul(this.#b, 5);
    const result = Math.imul((product << 7) | (product >>> 25), 9) >>> 0;
    const shifted = this.#b << 9;
    this.#c ^= this.#a;
    this.#d ^= this.#b;
    this.#b ^= this.#c;
    this.#a ^= this.#d;
    this.#c ^= shifted;
    this.#d = (this.#d << 11) | (this.#d >>> 21);
    return result;
  }

  random(): number {
    return this.bits() / 2 ** 32;
  }

  /** A whole number in [0, bound). */
  int(bound: number): number {
    return Math.floor(this.random() * bound);
  }

  /** True with the given probability. Probability 0 takes no number, so that a fault that is off changes nothing. */
  chance(probability: number): boolean {
    return probability > 0 && this.random() < probability;
  }

  pick<T>(list: readonly T[]): T {
    return list[this.int(list.length)]!;
  }

  /** One of the names, each as likely as its weight says. */
  weighted<T extends string>(weights: Partial<Record<T, number>>): T {
    const entries = Object.entries(weights) as [T, number][];
    let left = this.random() * entries.reduce((sum, [, weight]) => sum + weight, 0);
    for (const [name, weight] of entries) {
      left -= weight;
      if (left < 0) return name;
    }
    return entries.at(-1)![0];
  }

  uuid(): string {
    const hex = Array.from({ length: 4 }, () => this.bits().toString(16).padStart(8, '0')).join('');
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-7${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20)}`;
  }
}

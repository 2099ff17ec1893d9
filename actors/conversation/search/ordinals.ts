const bitsPerWord = 32;

/** A set of ordinals below a size, a bit for each: what a clause of a filter leaves. */
export class OrdinalSet {
  readonly size: number;
  readonly #words: Uint32Array;

  constructor(size: number) {
    this.size = size;
    this.#words = new Uint32Array(Math.ceil(size / bitsPerWord));
  }

  /** Those for which a test holds. */
  static where(size: number, test: (ordinal: number) => boolean): OrdinalSet {
    const set = new OrdinalSet(size);
    for (let ordinal = 0; ordinal < size; ordinal++) if (test(ordinal)) set.add(ordinal);
    return set;
  }

  add(ordinal: number): void {
    this.#words[ordinal >>> 5]! |= 1 << (ordinal & 31);
  }

  /** What is not below the size is left out. */
  addAll(ordinals: readonly number[]): this {
    for (const ordinal of ordinals) if (ordinal < this.size) this.add(ordinal);
    return this;
  }

  has(ordinal: number): boolean {
    return (this.#words[ordinal >>> 5]! & (1 << (ordinal & 31))) !== 0;
  }

  /** Keeps what is in the other one too. */
  intersect(other: OrdinalSet): this {
    for (let i = 0; i < this.#words.length; i++) this.#words[i]! &= other.#words[i]!;
    return this;
  }

  /** Adds what is in the other one. */
  unite(other: OrdinalSet): this {
    for (let i = 0; i < this.#words.length; i++) this.#words[i]! |= other.#words[i]!;
    return this;
  }

  /** Leaves what is in the other one out. */
  subtract(other: OrdinalSet): this {
    for (let i = 0; i < this.#words.length; i++) this.#words[i]! &= ~other.#words[i]!;
    return this;
  }

  count(): number {
    let count = 0;
    for (const word of this.#words) count += bitsIn(word);
    return count;
  }

  /** The highest first: the newest are most likely looked for. */
  each(take: (ordinal: number) => void): void {
    for (let i = this.#words.length - 1; i >= 0; i--) {
      for (let word = this.#words[i]!; word !== 0; ) {
        const bit = bitsPerWord - 1 - Math.clz32(word);
        take(i * bitsPerWord + bit);
        word = (word & ~(1 << bit)) >>> 0;
      }
    }
  }
}

/** Hacker's Delight, 5-1. */
function bitsIn(word: number): number {
  const pairs = word - ((word >>> 1) & 0x5555_5555);
  const nibbles = (pairs & 0x3333_3333) + ((pairs >>> 2) & 0x3333_3333);
  return Math.imul((nibbles + (nibbles >>> 4)) & 0x0f0f_0f0f, 0x0101_0101) >>> 24;
}

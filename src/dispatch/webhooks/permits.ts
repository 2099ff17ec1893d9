/** Calls under way at once: of all subscriptions, and of one. */
export const permitsInAll = 256;
export const permitsOfOne = 64;

/** Somebody who makes calls. */
export interface PermitHolder {
  /** A permit has become free that was refused before. */
  permitFreed(): void;
}

/**
 * Bounds the calls of all subscriptions together. One may hold a third of what is free, so a lone one gets all that a
 * single one may have, many get the less the more they are, and there is always room for one that comes later: slow or
 * dead receivers never take the last ones.
 */
export class Permits {
  #free = permitsInAll;
  readonly #held = new Map<PermitHolder, number>();
  readonly #waiting = new Set<PermitHolder>();

  /** False: none for now; the holder is told when it may try again. */
  take(holder: PermitHolder): boolean {
    const held = this.#held.get(holder) ?? 0;
    if (held >= permitsOfOne || this.#free === 0 || (held > 0 && held * 3 >= this.#free)) {
      this.#waiting.add(holder);
      return false;
    }
    this.#held.set(holder, held + 1);
    this.#free--;
    return true;
  }

  release(holder: PermitHolder): void {
    const left = (this.#held.get(holder) ?? 0) - 1;
    if (left > 0) this.#held.set(holder, left);
    else this.#held.delete(holder);
    this.#free++;
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    // The holder looks for itself.
    for (const other of waiting) if (other !== holder) other.permitFreed();
  }

  /** Permits in use. */
  get used(): number {
    return permitsInAll - this.#free;
  }
}

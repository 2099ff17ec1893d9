/** How long a caller is remembered that asked for nothing more, in ms. */
const remembered = 1_000;

interface Visit {
  caller: string;
  at: number;
}

const never: Visit = { caller: '', at: Number.NEGATIVE_INFINITY };

/**
 * Who asks for something, as far as fairness needs it: whether somebody else did just now. Who is alone need not be
 * held to a share.
 */
export class Company {
  #last = never;
  /** The last visit of another caller than the last one. */
  #other = never;

  /** @param now ms of one clock */
  seen(caller: string, now: number): void {
    if (caller !== this.#last.caller) this.#other = this.#last;
    this.#last = { caller, at: now };
  }

  /** Whether a caller other than this one was seen within the last second. */
  has(caller: string, now: number): boolean {
    const { at } = this.#last.caller === caller ? this.#other : this.#last;
    return now - at <= remembered;
  }

  /** Whether several callers were seen within the last second. */
  isSeveral(now: number): boolean {
    return this.has(this.#last.caller, now);
  }
}

import { randomBytes } from 'node:crypto';
import type { Clock, Ids } from '#actors/ports.ts';
import { uuidFromBytes } from '#actors/uuid.ts';

/** The machine's clock. Its timers do not keep the process alive. */
export const systemClock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  schedule(delayMs, run) {
    const timer = setTimeout(run, delayMs).unref();
    return () => clearTimeout(timer);
  },
  soon(run) {
    const immediate = setImmediate(run);
    return () => clearImmediate(immediate);
  },
};

const poolSize = 4096;

/** Random ids of this process. The time part orders them roughly, so that new rows stand near each other. */
export class SystemIds implements Ids {
  #pool = randomBytes(poolSize);
  #used = 0;

  uuid(): string {
    const bytes = this.#take(16);
    bytes.writeUIntBE(Date.now(), 0, 6);
    bytes[6] = (bytes[6]! & 0x0f) | 0x70;
    bytes[8] = (bytes[8]! & 0x3f) | 0x80;
    return uuidFromBytes(bytes);
  }

  random(): number {
    return Math.random();
  }

  #take(length: number): Buffer {
    if (this.#used + length > poolSize) {
      this.#pool = randomBytes(poolSize);
      this.#used = 0;
    }
    this.#used += length;
    return this.#pool.subarray(this.#used - length, this.#used);
  }
}

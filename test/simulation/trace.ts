import { createHash } from 'node:crypto';
import type { VirtualTime } from './virtual-time.ts';

const start = Date.UTC(2026, 0, 1);

/** What happened in a run, line by line. Two runs are the same when their hashes are. */
export class Trace {
  readonly lines: string[] = [];
  readonly #hash = createHash('sha256');
  readonly #time: VirtualTime;
  readonly #keep: boolean;

  constructor(time: VirtualTime, keep: boolean) {
    this.#time = time;
    this.#keep = keep;
  }

  note(what: string, detail: string): void {
    const line = `${this.#time.now() - start} ${what} ${detail}`;
    this.#hash.update(line);
    if (this.#keep) this.lines.push(line);
  }

  /** Ends the trace: hexadecimal SHA-256 of all lines. */
  digest(): string {
    return this.#hash.digest('hex');
  }
}

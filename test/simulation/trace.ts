import { createHash } from 'node:crypto';
import type { VirtualTime } from './virtual-time.ts';

const start = Date.UTC(2026, 0, 1);
/** Lines that are kept of any run, for a verdict on one that does not end. */
const lastLines = 8;

export interface TraceOptions {
  /** Keeps all lines. */
  keep: boolean;
  /** Told each line as it comes: a run that hangs can not be asked. */
  onLine: ((line: string) => void) | null;
}

/** What happened in a run, line by line. Two runs are the same when their hashes are. */
export class Trace {
  readonly lines: string[] = [];
  readonly #hash = createHash('sha256');
  readonly #time: VirtualTime;
  readonly #options: TraceOptions;

  constructor(time: VirtualTime, options: TraceOptions) {
    this.#time = time;
    this.#options = options;
  }

  note(what: string, detail: string): void {
    const line = `${this.#time.now() - start} ${what} ${detail}`;
    this.#hash.update(line);
    this.lines.push(line);
    if (!this.#options.keep && this.lines.length > lastLines) this.lines.shift();
    this.#options.onLine?.(line);
  }

  /** The last of what happened. */
  get end(): string {
    return this.lines.slice(-lastLines).join(' | ');
  }

  /** Ends the trace: hexadecimal SHA-256 of all lines. */
  digest(): string {
    return this.#hash.digest('hex');
  }
}

import type { SimulatedProcess } from './process.ts';
import type { Trace } from './trace.ts';
import type { VirtualTime } from './virtual-time.ts';

/** The network between nodes and their log: one node at a time can be cut off from all else. */
export class Partition {
  readonly #time: VirtualTime;
  readonly #trace: Trace;
  #cutOff: string | null = null;

  constructor(time: VirtualTime, trace: Trace) {
    this.#time = time;
    this.#trace = trace;
  }

  /** A node reaches neither the others nor the log for `ms`; those who talk to it do so in vain. */
  cutOff(node: string, ms: number): void {
    this.#set(node);
    this.#time.after(ms, () => {
      if (this.#cutOff === node) this.heal();
    });
  }

  heal(): void {
    if (this.#cutOff !== null) this.#set(null);
  }

  /** Whether a node reaches the log, and all that are not cut off. */
  isConnected(node: string): boolean {
    return node !== this.#cutOff;
  }

  reaches(from: SimulatedProcess, to: SimulatedProcess): boolean {
    return from.node === to.node || (this.isConnected(from.node) && this.isConnected(to.node));
  }

  #set(node: string | null): void {
    this.#trace.note('partition', node ?? 'nobody');
    this.#cutOff = node;
  }
}

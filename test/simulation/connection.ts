import type { Session } from '#src/realtime/session.ts';
import type { Wire } from '#src/realtime/wire.ts';
import type { SimulatedProcess } from './process.ts';
import type { Random } from './random.ts';
import type { VirtualTime } from './virtual-time.ts';

/** The client's end of a connection. */
export interface ConnectionEnd {
  receive(data: Buffer): void;
  /** Called once; what had not come by then never comes. */
  closed(): void;
}

/** A chunk is on its way so long at most, in ms. */
const longestWay = 6;

/** A WebSocket between a client and a hub process: ordered, of some width, and it can be jammed or cut. */
export class Connection implements Wire {
  readonly #time: VirtualTime;
  readonly #random: Random;
  readonly hub: SimulatedProcess;
  readonly #end: ConnectionEnd;
  /** What a byte that waits counts: many, as if the events were large. */
  readonly #weight: number;
  readonly #queue: (Buffer | 'close')[] = [];
  readonly #drained: (() => void)[] = [];
  #session: Session | null = null;
  #waiting = 0;
  #moving = false;
  #jammed = false;
  #open = true;

  constructor(options: { time: VirtualTime; random: Random; hub: SimulatedProcess; end: ConnectionEnd }) {
    this.#time = options.time;
    this.#random = options.random;
    this.hub = options.hub;
    this.#end = options.end;
    this.#weight = this.#random.pick([1, 1, 64]);
    this.hub.onDeath(() => this.#close());
  }

  /** The hub's side of it. */
  serve(session: Session): void {
    this.#session = session;
  }

  /** From the client to the hub. */
  say(data: Buffer): void {
    this.#time.after(this.#random.int(longestWay), () => {
      if (this.#open && this.hub.alive) this.#session?.receive(data);
    });
  }

  send(data: string | Buffer): void {
    if (!this.#open) return;
    const chunk = Buffer.from(data);
    this.#waiting += chunk.length;
    this.#queue.push(chunk);
    this.#move();
  }

  backlog(): number {
    return this.#waiting * this.#weight;
  }

  drained(): Promise<void> {
    if (this.#waiting === 0 || !this.#open) return Promise.resolve();
    return new Promise((resolve) => this.#drained.push(resolve));
  }

  close(): void {
    if (!this.#open) return;
    this.#queue.push('close');
    this.#move();
  }

  /** Nothing more arrives at the client for `ms`. */
  jam(ms: number): void {
    this.#jammed = true;
    this.#time.after(ms, () => {
      this.#jammed = false;
      this.#move();
    });
  }

  /** Breaks. The hub notices some time later. */
  cut(): void {
    this.#close();
    this.#time.after(this.#random.int(2_000), () => {
      if (this.hub.alive) this.#session?.closed('left');
    });
  }

  #move(): void {
    if (this.#moving || this.#jammed || !this.#open || this.#queue.length === 0) return;
    this.#moving = true;
    this.#time.after(this.#random.int(longestWay), () => {
      this.#moving = false;
      if (!this.#open) return;
      const chunks = this.#queue.splice(0, 1 + this.#random.int(4));
      for (const chunk of chunks) this.#arrive(chunk);
      this.#move();
    });
  }

  #arrive(chunk: Buffer | 'close'): void {
    if (!this.#open) return;
    if (chunk === 'close') {
      this.#close();
      if (this.hub.alive) this.#session?.closed('left');
      return;
    }
    this.#waiting -= chunk.length;
    this.#end.receive(chunk);
    if (this.#waiting === 0) for (const resolve of this.#drained.splice(0)) resolve();
  }

  #close(): void {
    if (!this.#open) return;
    this.#open = false;
    for (const resolve of this.#drained.splice(0)) resolve();
    this.#end.closed();
  }
}

import type { Headers } from '../frame.ts';
import type { EventBytes } from '../message.ts';
import type { Collector } from './collector.ts';

/** Frames that are remembered. What is acknowledged beyond them stays pending, and comes again. */
const most = 10_000;

/**
 * The frames that a client said it would acknowledge one by one (`ack:client-individual`), because the network may take
 * what nobody reads.
 */
export class Acknowledgements {
  readonly #collector: Collector;
  /** Pending Messages by the ids of their frames. */
  readonly #pending = new Map<string, string>();

  constructor(collector: Collector) {
    this.#collector = collector;
  }

  /** The frame of an event, from its `ack` on. @param pending the Message that it brings; null: nobody waits to hear of it */
  frameOf({ event: { cursor }, forVisitor }: EventBytes, pending: string | null): Buffer {
    if (pending !== null) this.#await(cursor, pending);
    return Buffer.concat([Buffer.from(`ack:${cursor}\n`), forVisitor]);
  }

  /** @param headers of an ACK: `id` in STOMP 1.2, `message-id` before it */
  received(headers: Headers): void {
    const frame = headers.get('id') ?? headers.get('message-id') ?? '';
    const message = this.#pending.get(frame);
    this.#pending.delete(frame);
    if (message !== undefined) this.#collector.taken(message);
  }

  #await(frame: string, message: string): void {
    if (this.#pending.size >= most) this.#pending.delete(this.#pending.keys().next().value!);
    this.#pending.set(frame, message);
  }
}

import { Failure } from '#actors/errors.ts';
import type { Cancel } from '#actors/ports.ts';

/** Sockets of one visitor: as many tabs. */
const most = 16;

/** How many sockets each visitor has. */
export class SocketCount {
  readonly #counts = new Map<string, number>();

  /** @returns to be called when the socket is closed @throws Failure `overloaded` */
  enter(conversationId: string): Cancel {
    const count = this.#counts.get(conversationId) ?? 0;
    if (count >= most) throw new Failure('overloaded', `A visitor may have ${most} sockets at most.`);
    this.#counts.set(conversationId, count + 1);
    return () => this.#left(conversationId);
  }

  #left(conversationId: string): void {
    const count = this.#counts.get(conversationId)! - 1;
    if (count === 0) this.#counts.delete(conversationId);
    else this.#counts.set(conversationId, count);
  }
}

import type { Clock } from '#actors/ports.ts';

/** A conversation is told at most this often that its visitor types, in ms: every report is a turn of it. */
const reportEvery = 3_000;

/** When each conversation was told last, by whichever of its visitor's sockets: one that comes anew begins no new count. */
export class TypingPace {
  readonly #clock: Pick<Clock, 'elapsed'>;
  /** The one told first in front. */
  readonly #toldAt = new Map<string, number>();

  constructor(clock: Pick<Clock, 'elapsed'>) {
    this.#clock = clock;
  }

  /** Ms until a conversation may be told again; none or less: it may be now. */
  wait(conversationId: string): number {
    const toldAt = this.#toldAt.get(conversationId);
    return toldAt === undefined ? 0 : toldAt + reportEvery - this.#clock.elapsed();
  }

  told(conversationId: string): void {
    this.#toldAt.delete(conversationId);
    this.#toldAt.set(conversationId, this.#clock.elapsed());
    for (const known of this.#toldAt.keys()) {
      if (this.wait(known) > 0) return;
      this.#toldAt.delete(known);
    }
  }
}

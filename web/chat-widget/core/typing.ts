import type { Clock } from './environment.ts';

export interface TypingEvents {
  /** The hub is to know whether the visitor types. */
  tell(isTyping: boolean): void;
  /** An agent began to type, or stopped. */
  changed(): void;
}

/** Ms after which it is told again that the visitor types; the hub forgets it after 15 s. */
const tellEvery = 5_000;
/** Ms without a key after which the visitor does not type any more. */
const pause = 6_000;
/** Ms after which an agent does not type any more, when nothing is heard. */
const forgetAfter = 10_000;

/** Who types. */
export class Typing {
  readonly #clock: Clock;
  readonly #events: TypingEvents;
  #toldAt: number | null = null;
  #cancelPause = () => {};
  #cancelForget = () => {};
  #agentTypes = false;

  constructor(clock: Clock, events: TypingEvents) {
    this.#clock = clock;
    this.#events = events;
  }

  get agentTypes(): boolean {
    return this.#agentTypes;
  }

  /** The visitor pressed a key. */
  typed(): void {
    const now = this.#clock.now();
    if (this.#toldAt === null || now - this.#toldAt >= tellEvery) {
      this.#toldAt = now;
      this.#events.tell(true);
    }
    this.#cancelPause();
    this.#cancelPause = this.#clock.schedule(pause, () => {
      this.#toldAt = null;
      this.#events.tell(false);
    });
  }

  /** The visitor's Message says it all: the hub knows by it that the typing has ended. */
  sent(): void {
    this.#cancelPause();
    this.#toldAt = null;
  }

  agent(isTyping: boolean): void {
    this.#cancelForget();
    if (isTyping) this.#cancelForget = this.#clock.schedule(forgetAfter, () => this.agent(false));
    if (isTyping === this.#agentTypes) return;
    this.#agentTypes = isTyping;
    this.#events.changed();
  }

  stop(): void {
    this.#cancelPause();
    this.#cancelForget();
  }
}

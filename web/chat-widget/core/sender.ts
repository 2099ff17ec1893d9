import { type Api, Refusal } from './api.ts';
import { Backoff } from './backoff.ts';
import type { Message } from './contract.ts';
import type { Draft, Outbox } from './outbox.ts';
import type { Platform } from './platform.ts';
import type { Session } from './session.ts';

export interface SenderEvents {
  /** The hub has it; the draft is still there. */
  sent(draft: Draft, message: Message): void;
  /** A draft has a problem now. */
  changed(): void;
  /** The channel takes no visitors. */
  unavailable(): void;
}

/** Sends the drafts, one after the other in their order, until the hub has them all. */
export class Sender {
  readonly #parts: { api: Api; platform: Platform; session: Session; outbox: Outbox; name: string };
  readonly #events: SenderEvents;
  readonly #backoff: Backoff;
  #sending = false;
  #stopped = false;

  /** @param parts `name`: of the lock that the tabs share */
  constructor(
    parts: { api: Api; platform: Platform; session: Session; outbox: Outbox; name: string },
    events: SenderEvents,
  ) {
    this.#parts = parts;
    this.#events = events;
    this.#backoff = new Backoff(parts.platform);
  }

  /** Sends what there is, unless that waits for its next try: tabs that wake each other would never rest. */
  async flush(): Promise<void> {
    if (this.#sending || this.#stopped || this.#backoff.isWaiting || !this.#parts.outbox.next) return;
    this.#sending = true;
    const retry = await this.#sendAll();
    this.#sending = false;
    if (retry === null) this.#backoff.reset();
    else if (!this.#stopped) this.#backoff.again(() => this.flush(), retry);
    // What was written while the last answer was on its way.
    if (retry === null) await this.flush();
  }

  /** What waits for its next try is tried now. */
  hurry(): void {
    this.#backoff.hurry();
  }

  /** For good. */
  stop(): void {
    this.#stopped = true;
    this.#backoff.cancel();
  }

  /** @returns ms to wait at least before the next try; null: there is nothing left to send */
  async #sendAll(): Promise<number | null> {
    const { platform, outbox, name } = this.#parts;
    try {
      await platform.exclusively(name, async () => {
        for (let draft = outbox.next; draft && !this.#stopped; draft = outbox.next) await this.#send(draft);
      });
      return null;
    } catch (error) {
      if (!(error instanceof Refusal)) return 0;
      if (error.passes || error.status === 401) return error.retryAfter;
      this.stop();
      this.#events.unavailable();
      return null;
    }
  }

  async #send(draft: Draft): Promise<void> {
    const { api, session, outbox } = this.#parts;
    const token = await session.token(true);
    if (token === null) throw new Error('The conversation was left.');
    if (!draft.tried) outbox.change({ ...draft, tried: true });
    try {
      this.#events.sent(draft, await api.send(token, draft.content, draft.name));
    } catch (error) {
      if (!(error instanceof Refusal) || error.passes) throw error;
      if (error.status !== 401) return this.#giveUp(draft, error.message);
      await session.expire(token);
      throw error;
    }
  }

  #giveUp(draft: Draft, problem: string): void {
    this.#parts.outbox.change({ ...draft, problem });
    this.#events.changed();
  }
}

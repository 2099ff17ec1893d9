import { type Api, isOff, Refusal, waitAfter } from './api.ts';
import { Backoff } from './backoff.ts';
import type { Message } from './contract.ts';
import type { Draft, Drafts } from './drafts.ts';
import type { Environment } from './environment.ts';
import type { Visit } from './visit.ts';

export interface SendingEvents {
  /** The hub has it; the draft is still there. */
  sent(draft: Draft, message: Message): void;
  /** A draft has a problem now. */
  changed(): void;
  /** The channel takes no visitors for now. */
  unavailable(): void;
}

/** Sends the drafts, one after the other in their order, until the hub has them all. */
export class Sending {
  readonly #parts: { api: Api; environment: Environment; visit: Visit; drafts: Drafts; name: string };
  readonly #events: SendingEvents;
  readonly #backoff: Backoff;
  #isSending = false;
  #stopped = false;

  /** @param parts `name`: of the lock that the tabs share */
  constructor(
    parts: { api: Api; environment: Environment; visit: Visit; drafts: Drafts; name: string },
    events: SendingEvents,
  ) {
    this.#parts = parts;
    this.#events = events;
    this.#backoff = new Backoff(parts.environment);
  }

  /** Sends what there is, unless that waits for its next try: tabs that wake each other would never rest. */
  async flush(): Promise<void> {
    if (this.#isSending || this.#stopped || this.#backoff.isWaiting || !this.#parts.drafts.next) return;
    this.#isSending = true;
    const retry = await this.#sendAll();
    this.#isSending = false;
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
    const { environment, drafts, name } = this.#parts;
    try {
      await environment.exclusively(name, async () => {
        for (let draft = drafts.next; draft && !this.#stopped; draft = drafts.next) await this.#send(draft);
      });
      return null;
    } catch (error) {
      if (isOff(error)) this.#events.unavailable();
      return waitAfter(error);
    }
  }

  async #send(draft: Draft): Promise<void> {
    const { api, visit, drafts } = this.#parts;
    const entered = await visit.enter(true);
    if (!entered) throw new Error('The conversation was left.');
    const { token } = entered;
    if (!draft.tried) drafts.change({ ...draft, tried: true });
    try {
      this.#events.sent(draft, await api.send(token, draft.content, draft.name));
    } catch (error) {
      if (!(error instanceof Refusal) || error.passes) throw error;
      if (error.status !== 401) return this.#giveUp(draft, error.message);
      await visit.expire(token);
      throw error;
    }
  }

  #giveUp(draft: Draft, problem: string): void {
    this.#parts.drafts.change({ ...draft, problem });
    this.#events.changed();
  }
}

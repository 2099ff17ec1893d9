import { type Api, Refusal } from './api.ts';
import type { Authentication, Message } from './contract.ts';
import { type Environment, readJson } from './environment.ts';

/** What all tabs know of the visitor's conversation. */
export interface Ticket {
  /** Made up here: the same as long as the conversation is. */
  id: string;
  resumeToken: string;
  /** Epoch ms. */
  issuedAt: number;
}

/** A resume token lasts a week: renewed each day, a conversation lasts as long as its visitor comes back. */
const renewAfter = 24 * 3_600_000;

export interface VisitParts {
  api: Api;
  environment: Environment;
  channelId: string;
  /** Of the ticket in the storage. */
  key: string;
  /** Is given what was written so far, each time the hub tells it. */
  onList(messages: readonly Message[]): void;
}

/** The visitor's conversation over pages and tabs: how it begins, how it is gone on with, and how it is left. */
export class Visit {
  readonly #parts: VisitParts;
  #entering: Promise<Authentication | null> | null = null;

  constructor(parts: VisitParts) {
    this.#parts = parts;
  }

  /** Null: there is no conversation to go on with. */
  get ticket(): Ticket | null {
    return readJson<Ticket>(this.#parts.environment.storage.get(this.#parts.key));
  }

  /**
   * Enters the conversation, which is begun where there is none and `begin` says so; else null. Only what is sent begins
   * one, and one tab sends at a time: so tabs find one conversation, and not each its own.
   * @throws Refusal when the channel takes no visitors
   */
  async enter(begin: boolean): Promise<Authentication | null> {
    return (await this.#enterOnce(begin)) ?? (begin ? this.#enterOnce(true) : null);
  }

  /** The hub does not take this token any more. */
  async expire(token: string): Promise<void> {
    const entering = this.#entering;
    const known = await entering?.catch(() => null);
    if (known?.token === token && this.#entering === entering) this.#entering = null;
  }

  /** Asks what was written so far. */
  async refresh(): Promise<void> {
    const before = this.#entering;
    this.#entering = null;
    await this.#enterOnce(false).catch((error) => {
      // The token is as good as it was.
      this.#entering ??= before;
      throw error;
    });
  }

  /** For all tabs. */
  leave(): void {
    this.forget();
    this.#write(null);
  }

  /** For this tab only. */
  forget(): void {
    this.#entering = null;
  }

  #enterOnce(begin: boolean): Promise<Authentication | null> {
    if (this.#entering) return this.#entering;
    const entering = this.#enter(begin);
    this.#entering = entering;
    const settle = (authentication: Authentication | null) => {
      // The conversation may have been left meanwhile.
      if (this.#entering !== entering) return;
      if (authentication) this.#parts.onList(authentication.messages);
      else this.#entering = null;
    };
    entering.then(settle, () => settle(null));
    return entering;
  }

  async #enter(begin: boolean): Promise<Authentication | null> {
    const { ticket } = this;
    return (ticket && (await this.#resume(ticket))) || (begin ? await this.#begin() : null);
  }

  /** @returns null when the hub does not know the conversation any more */
  async #resume(ticket: Ticket): Promise<Authentication | null> {
    try {
      const authentication = await this.#parts.api.authenticate({ resume_token: ticket.resumeToken });
      if (this.#parts.environment.clock.now() - ticket.issuedAt > renewAfter)
        await this.#keep(ticket.id, authentication.token);
      return authentication;
    } catch (error) {
      if (!(error instanceof Refusal) || error.status !== 401) throw error;
      if (this.ticket?.id === ticket.id) this.#write(null);
      return null;
    }
  }

  /** What can not be gone on with is not begun: nothing is written into it before the ticket is kept. */
  async #begin(): Promise<Authentication> {
    const authentication = await this.#parts.api.authenticate({ channel_id: this.#parts.channelId });
    await this.#keep(this.#parts.environment.newId(), authentication.token);
    return authentication;
  }

  async #keep(id: string, token: string): Promise<void> {
    const resumeToken = await this.#parts.api.resumeToken(token);
    this.#write({ id, resumeToken, issuedAt: this.#parts.environment.clock.now() });
  }

  #write(ticket: Ticket | null): void {
    this.#parts.environment.storage.set(this.#parts.key, ticket && JSON.stringify(ticket));
  }
}

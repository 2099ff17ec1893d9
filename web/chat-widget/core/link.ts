import { Refusal } from './api.ts';
import { Backoff } from './backoff.ts';
import type { Message } from './contract.ts';
import type { Platform } from './platform.ts';
import type { Session } from './session.ts';
import { openSocket, type Socket } from './socket.ts';

/** `idle`: there is no conversation to listen to. */
export type Connection = 'idle' | 'connecting' | 'online' | 'offline';

export interface LinkEvents {
  connection(now: Connection): void;
  message(message: Message): void;
  typing(isTyping: boolean): void;
  /** There is no conversation to go on with. */
  gone(): void;
  /** The channel takes no visitors. */
  unavailable(): void;
}

/** Listens to the conversation: connects, and connects again, until it is told to stop. */
export class Link {
  readonly #parts: { host: string; session: Session; platform: Platform };
  readonly #events: LinkEvents;
  readonly #backoff: Backoff;
  #isRunning = false;
  #socket: Socket | null = null;
  /** Behind the last Message that came; null: none came yet. */
  #place: string | null = null;

  constructor(parts: { host: string; session: Session; platform: Platform }, events: LinkEvents) {
    this.#parts = parts;
    this.#events = events;
    this.#backoff = new Backoff(parts.platform);
  }

  start(): void {
    if (this.#isRunning) return;
    this.#isRunning = true;
    this.#events.connection('connecting');
    this.#connect();
  }

  stop(): void {
    this.#isRunning = false;
    this.#place = null;
    this.#backoff.cancel();
    this.#backoff.reset();
    const socket = this.#socket;
    this.#socket = null;
    socket?.close();
    this.#events.connection('idle');
  }

  /** Something has changed (the network is back, the page is looked at): no more waiting. */
  hurry(): void {
    this.#backoff.hurry();
  }

  /** Tells that the visitor types, or stopped; lost while there is no connection. */
  typing(isTyping: boolean): void {
    this.#socket?.typing(isTyping);
  }

  async #connect(): Promise<void> {
    const { session } = this.#parts;
    try {
      const token = await session.token(false);
      if (!this.#isRunning) return;
      if (token !== null) return this.#open(token);
      this.stop();
      this.#events.gone();
    } catch (error) {
      if (!(error instanceof Refusal)) return this.#retry(0);
      if (error.passes) return this.#retry(error.retryAfter);
      this.stop();
      this.#events.unavailable();
    }
  }

  #open(token: string): void {
    const { host, platform } = this.#parts;
    const socket = openSocket({ host, token, after: this.#place }, platform, {
      subscribed: () => this.#subscribed(socket),
      message: (message, place) => {
        this.#place = place;
        this.#events.message(message);
      },
      typing: (isTyping) => this.#events.typing(isTyping),
      closed: (refused) => this.#closed(socket, refused ? token : null),
    });
    this.#socket = socket;
  }

  /** Without a place, what another tab took between the last list and this subscription is only in the next list. */
  async #subscribed(socket: Socket): Promise<void> {
    this.#events.connection('online');
    try {
      if (this.#place === null) await this.#parts.session.refresh();
      this.#backoff.reset();
    } catch {
      socket.close();
    }
  }

  async #closed(socket: Socket, refusedToken: string | null): Promise<void> {
    if (this.#socket !== socket) return;
    this.#socket = null;
    if (refusedToken !== null) {
      this.#place = null;
      await this.#parts.session.expire(refusedToken);
    }
    this.#retry(0);
  }

  #retry(atLeast: number): void {
    if (!this.#isRunning) return;
    this.#events.connection('offline');
    this.#backoff.again(() => this.#connect(), atLeast);
  }
}

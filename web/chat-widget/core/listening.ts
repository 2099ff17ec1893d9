import { isOff, waitAfter } from './api.ts';
import { Backoff } from './backoff.ts';
import type { Authentication, Message } from './contract.ts';
import type { Environment } from './environment.ts';
import type { Visit } from './visit.ts';
import { openSocket, type Socket } from './socket.ts';

/** `idle`: there is no conversation to listen to. */
export type Connection = 'idle' | 'connecting' | 'online' | 'offline';

export interface ListeningEvents {
  connection(now: Connection): void;
  message(message: Message): void;
  typing(isTyping: boolean): void;
  /** There is no conversation to go on with. */
  gone(): void;
  /** The channel takes no visitors for now. */
  unavailable(): void;
}

/** Ms between two questions at most, where nothing is told by itself. */
const pollEvery = 10_000;
/** After this many sockets in a row that failed, one is tried with every twelfth question only. */
const patience = 3;
const rarely = 12;

/**
 * Listens to the conversation: connects, and connects again, until it is told to stop. Where no socket gets through (a
 * page's policy, a proxy), but requests do, it asks now and then.
 */
export class Listening {
  readonly #parts: { host: string; visit: Visit; environment: Environment };
  readonly #events: ListeningEvents;
  readonly #backoff: Backoff;
  #isRunning = false;
  #socket: Socket | null = null;
  #isSubscribed = false;
  /** Questions since the last socket that was subscribed. */
  #polls = 0;
  /** Behind the last Message that came by a socket; null: none came since the list. */
  #place: string | null = null;

  constructor(parts: { host: string; visit: Visit; environment: Environment }, events: ListeningEvents) {
    this.#parts = parts;
    this.#events = events;
    this.#backoff = new Backoff(parts.environment);
  }

  start(): void {
    if (this.#isRunning) return;
    this.#isRunning = true;
    this.#events.connection('connecting');
    this.#attempt(() => this.#connect());
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
    const { visit } = this.#parts;
    const entered = await visit.enter(false);
    if (!this.#isRunning) return;
    if (entered) this.#open(entered);
    else {
      this.stop();
      this.#events.gone();
    }
  }

  /** Runs what asks the hub, and tries again when it can not be asked. */
  async #attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!this.#isRunning) return;
      if (isOff(error)) this.#events.unavailable();
      this.#retry(waitAfter(error));
    }
  }

  #open({ token, cursor }: Authentication): void {
    const { host, environment } = this.#parts;
    const socket = openSocket({ host, token, after: this.#place ?? cursor }, environment, {
      subscribed: () => this.#subscribed(),
      message: (message, place) => {
        this.#place = place;
        this.#events.message(message);
      },
      typing: (isTyping) => this.#events.typing(isTyping),
      closed: (refused) => this.#closed(socket, refused ? token : null),
    });
    this.#socket = socket;
  }

  #subscribed(): void {
    this.#polls = 0;
    this.#isSubscribed = true;
    this.#backoff.reset();
    this.#events.connection('online');
  }

  async #closed(socket: Socket, refusedToken: string | null): Promise<void> {
    if (this.#socket !== socket) return;
    const couldListen = this.#isSubscribed;
    this.#socket = null;
    this.#isSubscribed = false;
    if (refusedToken !== null) {
      this.#place = null;
      await this.#parts.visit.expire(refusedToken);
    }
    if (couldListen || refusedToken !== null) this.#retry();
    else if (this.#polls === 0) this.#attempt(() => this.#poll());
    else this.#pollLater();
  }

  async #poll(): Promise<void> {
    await this.#parts.visit.refresh();
    if (!this.#isRunning) return;
    this.#events.connection('online');
    this.#polls++;
    if (this.#polls <= patience || this.#polls % rarely === 0) await this.#connect();
    else this.#pollLater();
  }

  #pollLater(): void {
    this.#backoff.reset();
    this.#backoff.again(() => this.#attempt(() => this.#poll()), 0, pollEvery);
  }

  #retry(atLeast = 0): void {
    if (!this.#isRunning) return;
    this.#events.connection('offline');
    this.#backoff.again(() => this.#attempt(() => this.#connect()), atLeast);
  }
}

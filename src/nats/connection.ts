import { connect, createInbox, type Msg, type NatsConnection, type Status } from '@nats-io/transport-node';
import { type Bus, BusError, type Parcel, type Cancel, type Logger } from '#actors/ports.ts';
import type { Secret } from '#src/config/config.ts';
import { busError, RequestTable } from './request-table.ts';

export interface BusOptions {
  /** `nats://host:port`, or several with commas between them. */
  url: string;
  user?: string;
  password?: Secret;
  /** Shown by the server for this connection. */
  name: string;
  log: Logger;
}

export interface NatsBus extends Bus {
  /** False while the connection is lost and being made again. */
  connected(): boolean;
  /** Delivers what has been sent and received so far, for at most two seconds, and closes the connection. */
  close(): Promise<void>;
}

/** Bounds the first connection and each try to connect again. */
const dialTimeoutMs = 2_000;
const reconnectEveryMs = 100;
const reconnectJitterMs = 50;
/** The library notices a server that hangs after two pings without an answer. */
const pingEveryMs = 20_000;
const closeMs = 2_000;

/**
 * Connects to NATS and keeps the connection: once made, it is made again for ever. While it is down, requests fail with
 * `disconnected` and publications are dropped (the library would drop them too, when it connects again).
 * @throws BusError `disconnected` when the first connection fails.
 */
export async function connectBus({ url, user, password, name, log }: BusOptions): Promise<NatsBus> {
  try {
    const connection = await connect({
      servers: url.split(',').map((server) => server.trim()),
      name,
      ...(user !== undefined && { user }),
      ...(password !== undefined && { pass: password.reveal() }),
      timeout: dialTimeoutMs,
      pingInterval: pingEveryMs,
      reconnectTimeWait: reconnectEveryMs,
      reconnectJitter: reconnectJitterMs,
      maxReconnectAttempts: -1,
      // A server that is still starting may refuse what it accepts a moment later.
      ignoreAuthErrorAbort: true,
      // One address was configured; the server's view of its own addresses may not reach us.
      ignoreClusterUpdates: true,
      noAsyncTraces: true,
    });
    return new ConnectedBus(connection, log, name);
  } catch (error) {
    // The library's text names neither user nor password; the address might, so it stays out.
    throw new BusError('disconnected', `cannot connect to NATS: ${(error as Error).message}`);
  }
}

/** A publication on its way to the library; `token` names the request that it is. */
interface Unsent {
  subject: string;
  data: Uint8Array;
  token: string | null;
}

class ConnectedBus implements NatsBus {
  readonly #connection: NatsConnection;
  readonly #log: Logger;
  readonly #name: string;
  readonly #requests = new RequestTable();
  readonly #inbox = `${createInbox()}.`;
  /**
   * What was published since the last pass of the event loop. The library writes to the socket in the microtask after
   * each publication; handed over together, a hundred requests are one write, and the host finds them as one batch.
   */
  #unsent: Unsent[] = [];
  #connected = true;
  #closing: Promise<void> | null = null;

  constructor(connection: NatsConnection, log: Logger, name: string) {
    this.#connection = connection;
    this.#log = log;
    this.#name = name;
    connection.subscribe(`${this.#inbox}*`, { callback: (_error, message) => this.#onAnswer(message) });
    void this.#followStatus();
  }

  request(subject: string, data: Uint8Array, timeoutMs: number): Promise<Uint8Array> {
    if (!this.#connected) return Promise.reject(busError('disconnected', subject));
    const { max_payload: most = Number.POSITIVE_INFINITY } = this.#connection.info ?? {};
    if (data.length > most) return Promise.reject(busError('too_large', subject));
    const { token, answer } = this.#requests.open(subject, timeoutMs);
    this.#enqueue({ subject, data, token });
    return answer;
  }

  publish(subject: string, data: Uint8Array): void {
    if (this.#connected) this.#enqueue({ subject, data, token: null });
  }

  #enqueue(unsent: Unsent): void {
    this.#unsent.push(unsent);
    if (this.#unsent.length === 1) setImmediate(() => this.#sendAll());
  }

  #sendAll(): void {
    for (const { subject, data, token } of this.#unsent.splice(0)) {
      try {
        if (token === null) this.#connection.publish(subject, data);
        else this.#connection.publish(subject, data, { reply: this.#inbox + token });
      } catch (error) {
        // A lost connection fails all that waits by itself. The rest is too large a publication, or a subject that is none: trying
        // again can not help.
        const hopeless = !this.#connection.isClosed() && !this.#closing;
        if (token !== null && hopeless) this.#requests.rejected(token, error as Error);
        else if (token !== null) this.#requests.failed(token, 'disconnected');
        else if (hopeless) this.#log.error({ subject, error: (error as Error).message }, 'bus.publish_failed');
      }
    }
  }

  subscribe(subject: string, handle: (parcel: Parcel) => void): Cancel {
    // An exception that left the callback would end the library's reader: nothing would arrive any more.
    const callback = (error: Error | null, message: Msg): void => {
      try {
        if (error) throw error;
        handle(message);
      } catch (fault) {
        this.#log.error({ subject, connection: this.#name, error: (fault as Error).message }, 'bus.handler_failed');
      }
    };
    const subscription = this.#connection.subscribe(subject, { callback });
    return () => subscription.unsubscribe();
  }

  async flush(): Promise<void> {
    if (!this.#connected) throw busError('disconnected', 'flush');
    this.#sendAll();
    try {
      await this.#connection.flush();
    } catch {
      throw busError('disconnected', 'flush');
    }
  }

  connected(): boolean {
    return this.#connected;
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    if (this.#connected) {
      this.#sendAll();
      let bound: NodeJS.Timeout | undefined;
      const patience = new Promise<void>((resolve) => {
        bound = setTimeout(resolve, closeMs);
      });
      await Promise.race([this.#connection.drain().catch(() => {}), patience]);
      clearTimeout(bound);
    }
    this.#connected = false;
    await this.#connection.close();
    this.#requests.failAll('disconnected');
  }

  #onAnswer(message: Msg): void {
    const token = message.subject.slice(this.#inbox.length);
    // The server answers for a subject without subscribers: no data and the status 503 (NATS ADR-22).
    if (message.data.length === 0 && message.headers?.code === 503) this.#requests.failed(token, 'no_responder');
    else this.#requests.answered(token, message.data);
  }

  /** One step per change of the connection, none per message. Ends when the connection is closed. */
  async #followStatus(): Promise<void> {
    for await (const status of this.#connection.status()) this.#onStatus(status);
    this.#connected = false;
    this.#requests.failAll('disconnected');
  }

  #onStatus(status: Status): void {
    if (status.type === 'disconnect') {
      this.#connected = false;
      // Their answers went to a connection that is no more; what came of the requests is unknown.
      this.#requests.failAll('disconnected');
      if (!this.#closing) this.#log.warn({ connection: this.#name }, 'bus.disconnected');
    } else if (status.type === 'reconnect') {
      this.#connected = true;
      this.#log.info({ connection: this.#name }, 'bus.reconnected');
    } else if (status.type === 'error') {
      this.#log.warn({ connection: this.#name, error: status.error.message }, 'bus.error');
    }
  }
}

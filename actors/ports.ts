/**
 * What actors need from outside. `src` implements these for production; tests and the seeded simulation
 * implement them with parts that lose, repeat, reorder and stop on purpose.
 */

/** Cancels what it was returned for; calling it again does nothing. */
export type Cancel = () => void;

export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Milliseconds since some moment, by a clock that nobody sets: for how long something took. */
  elapsed(): number;
  /** Calls `run` once after `delayMs`. A production timer does not keep the process alive. */
  schedule(delayMs: number, run: () => void): Cancel;
  /** Calls `run` soon, after I/O that is waiting: what arrives meanwhile is there by then. */
  soon(run: () => void): Cancel;
}

export interface Ids {
  /** A new UUID version 7 (RFC 9562), lower case. */
  uuid(): string;
  /** A number in [0, 1), for jitter. */
  random(): number;
}

/** What the bus carries: an envelope or a signal. `respond` answers a request; it does nothing for a publication. */
export interface Parcel {
  readonly subject: string;
  readonly data: Uint8Array;
  respond(data: Uint8Array): void;
}

/** The transport of envelopes and of "it grew" signals. Delivery may lose, repeat or reorder: nothing relies on it. */
export interface Bus {
  /**
   * Sends a request and waits for one answer.
   * @throws BusError `no_responder` at once when nobody serves the subject, `timeout` after `timeoutMs`, `disconnected`.
   */
  request(subject: string, data: Uint8Array, timeoutMs: number): Promise<Uint8Array>;
  publish(subject: string, data: Uint8Array): void;
  /** Calls `handle` for everything on `subject` (NATS wildcards allowed). */
  subscribe(subject: string, handle: (parcel: Parcel) => void): Cancel;
  /** Resolves when everything published so far has reached the server. */
  flush(): Promise<void>;
}

export type BusErrorReason = 'no_responder' | 'timeout' | 'disconnected' | 'too_large';

/** Why a request got no answer. After `timeout` and `disconnected` the command may have been applied; one `too_large` was not sent. */
export class BusError extends Error {
  override readonly name = 'BusError';
  readonly reason: BusErrorReason;

  constructor(reason: BusErrorReason, message: string) {
    super(message);
    this.reason = reason;
  }
}

/** Structured log lines: one per unit of work, with ids, counts and durations (ms). `error` means a person must look. */
export interface Logger {
  info(fields: Record<string, unknown>, event: string): void;
  warn(fields: Record<string, unknown>, event: string): void;
  error(fields: Record<string, unknown>, event: string): void;
}

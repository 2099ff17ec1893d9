import { type Dispatcher, errors } from 'undici';
import { AddressNotAllowed, Unresolved } from './address-guard.ts';
import { ConnectTimeout, TlsFailure } from './guarded-connector.ts';

export type RefusalReason = 'address_not_allowed' | 'bad_url' | 'bad_headers';

export type OutgoingFailureReason =
  /** The name of the host has no address. */
  | 'unresolved'
  | 'connect_timeout'
  /** The answer was not complete within `timeoutMs`. */
  | 'timeout'
  /** Refused, reset, closed or unreachable. */
  | 'connection'
  | 'tls'
  /** The answer's headers exceed 16 KiB. */
  | 'answer_too_large'
  /** The answer is not HTTP. */
  | 'answer_invalid'
  /** The client was closed. */
  | 'closed';

export type OutgoingResult =
  | {
      kind: 'answered';
      status: number;
      headers: Record<string, string | string[] | undefined>;
      /** UTF-8; bytes that are none become U+FFFD. */
      body: string;
      truncated: boolean;
      durationMs: number;
    }
  | { kind: 'refused'; reason: RefusalReason }
  | { kind: 'failed'; reason: OutgoingFailureReason; durationMs: number };

/**
 * One call under way: gathers its answer and ends once, with a result. It is undici's handler itself, because the stream
 * that `request` makes of every answer costs as much as the call.
 */
export class OutgoingCall implements Dispatcher.DispatchHandler {
  readonly #start = performance.now();
  readonly #maximumBytes: number;
  readonly #done: (result: OutgoingResult) => void;
  readonly #timer: NodeJS.Timeout;
  /** Null until the call has a connection, which it may wait for. */
  #controller: Dispatcher.DispatchController | null = null;
  /** Why it ended before the answer was complete: a call that still waits for a connection is not sent any more. */
  #cut: Error | null = null;
  #ended = false;
  #status = 0;
  #headers: Record<string, string | string[] | undefined> = {};
  readonly #chunks: Buffer[] = [];
  #size = 0;

  /** @param done called once, in any case */
  constructor(timeoutMs: number, maximumBytes: number, done: (result: OutgoingResult) => void) {
    this.#maximumBytes = maximumBytes;
    this.#done = done;
    this.#timer = setTimeout(() => this.#fail('timeout', new errors.RequestAbortedError()), timeoutMs);
  }

  /** Ends the call as `closed`. */
  close(): void {
    this.#fail('closed', new errors.ClientClosedError());
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.#cut) controller.abort(this.#cut);
    else this.#controller = controller;
  }

  onResponseStart(_: unknown, status: number, headers: Record<string, string | string[] | undefined>): void {
    this.#status = status;
    this.#headers = headers;
  }

  onResponseData(_: unknown, chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#size += chunk.length;
    // Ending early closes the connection: the rest of a huge answer is never read.
    if (this.#size > this.#maximumBytes) this.#answered(new errors.RequestAbortedError());
  }

  onResponseEnd(): void {
    this.#answered(null);
  }

  onResponseError(_: unknown, error: Error): void {
    if (error instanceof AddressNotAllowed) this.#end({ kind: 'refused', reason: 'address_not_allowed' });
    // The URL and the body are sound by now: undici checks nothing else but the headers.
    else if (error instanceof errors.InvalidArgumentError) this.#end({ kind: 'refused', reason: 'bad_headers' });
    else this.#fail(failureOf(error), null);
  }

  #answered(cut: Error | null): void {
    const bytes = Buffer.concat(this.#chunks).subarray(0, this.#maximumBytes);
    this.#end({
      kind: 'answered',
      status: this.#status,
      headers: this.#headers,
      body: bytes.toString('utf8'),
      truncated: this.#size > this.#maximumBytes,
      durationMs: this.#durationMs(),
    });
    if (cut) this.#abort(cut);
  }

  #fail(reason: OutgoingFailureReason, cut: Error | null): void {
    this.#end({ kind: 'failed', reason, durationMs: this.#durationMs() });
    if (cut) this.#abort(cut);
  }

  #end(result: OutgoingResult): void {
    if (this.#ended) return;
    this.#ended = true;
    clearTimeout(this.#timer);
    this.#done(result);
  }

  #abort(cut: Error): void {
    this.#cut = cut;
    this.#controller?.abort(cut);
  }

  #durationMs(): number {
    return Math.round(performance.now() - this.#start);
  }
}

function failureOf(error: unknown): OutgoingFailureReason {
  if (error instanceof Unresolved) return 'unresolved';
  if (error instanceof ConnectTimeout) return 'connect_timeout';
  if (error instanceof TlsFailure) return 'tls';
  if (error instanceof errors.HeadersOverflowError) return 'answer_too_large';
  if (error instanceof errors.HTTPParserError || error instanceof errors.ResponseContentLengthMismatchError) {
    return 'answer_invalid';
  }
  if (error instanceof errors.ClientClosedError || error instanceof errors.ClientDestroyedError) return 'closed';
  return 'connection';
}

import { BusError, type BusErrorReason } from '#actors/ports.ts';

interface Waiting {
  readonly subject: string;
  readonly deadline: number;
  readonly resolve: (data: Uint8Array) => void;
  readonly reject: (error: Error) => void;
}

/** How exact a timeout is. One timer for all requests costs less than one for each. */
const sweepEveryMs = 20;

/**
 * The requests of one connection that wait for their answer, by token. It exists because the client library keeps its
 * own requests waiting for their timeout when the connection is lost, and makes three promises and a timer for each.
 */
export class RequestTable {
  readonly #waiting = new Map<string, Waiting>();
  #lastToken = 0;
  #timer: NodeJS.Timeout | null = null;

  /** @returns the token of a new request, and the promise of its answer. `timeoutMs` is kept to within 20 ms. */
  open(subject: string, timeoutMs: number): { token: string; answer: Promise<Uint8Array> } {
    this.#lastToken += 1;
    const token = this.#lastToken.toString(36);
    const answer = new Promise<Uint8Array>((resolve, reject) => {
      this.#waiting.set(token, { subject, deadline: performance.now() + timeoutMs, resolve, reject });
    });
    this.#timer ??= setInterval(() => this.#sweep(), sweepEveryMs);
    return { token, answer };
  }

  answered(token: string, data: Uint8Array): void {
    this.#take(token)?.resolve(data);
  }

  failed(token: string, reason: BusErrorReason): void {
    const waiting = this.#take(token);
    waiting?.reject(busError(reason, waiting.subject));
  }

  rejected(token: string, error: Error): void {
    this.#take(token)?.reject(error);
  }

  /** Fails every request that waits. */
  failAll(reason: BusErrorReason): void {
    for (const token of [...this.#waiting.keys()]) this.failed(token, reason);
  }

  /** An answer that comes after the end of its request finds nothing and is dropped. */
  #take(token: string): Waiting | undefined {
    const waiting = this.#waiting.get(token);
    if (!waiting) return undefined;
    this.#waiting.delete(token);
    return waiting;
  }

  #sweep(): void {
    const now = performance.now();
    for (const [token, waiting] of this.#waiting) {
      if (waiting.deadline <= now) this.failed(token, 'timeout');
    }
    if (this.#waiting.size > 0 || !this.#timer) return;
    // Idle: the timer would keep the process alive for nothing.
    clearInterval(this.#timer);
    this.#timer = null;
  }
}

const explanations: Record<BusErrorReason, string> = {
  no_responder: 'nobody serves',
  timeout: 'no answer in time on',
  too_large: 'NATS carries no request so large to',
  disconnected: 'the connection to NATS was lost or is down; no answer on',
};

/** The error for a request on `subject`. */
export function busError(reason: BusErrorReason, subject: string): BusError {
  return new BusError(reason, `${explanations[reason]} ${subject}`);
}

import type { AttemptOutcome } from '#machines/message-delivery.ts';
import type { OutgoingClient } from '#src/outgoing/client.ts';

/** What connectors call their sources with. */
export interface CallTools {
  /** The only way out: it has the address guard, the limits and the timeouts. */
  http: Pick<OutgoingClient, 'send'>;
  /** Epoch ms. */
  now(): number;
}

/**
 * What a call came to. `error` is a sentence for people, without secrets. The hub itself decides what else can be:
 * a channel that is not connected, an outcome that nobody knows.
 */
export type CallOutcome =
  | Extract<AttemptOutcome, { kind: 'succeeded' | 'rejected' }>
  /** `retryAfter` in ms. */
  | { kind: 'throttled'; error: string; retryAfter: number }
  | { kind: 'unreachable'; error: string };

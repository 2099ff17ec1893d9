import type { Clock, Ids } from '#actors/ports.ts';
import type { AttemptRecord, DeliveryOutcome } from '#actors/webhook-subscription/contract.ts';
import type { OutgoingResult } from '#src/outgoing/call.ts';
import type { OutgoingClient } from '#src/outgoing/client.ts';
import { retryAfterOf } from '#src/outgoing/retry-after.ts';
import type { Signer } from './signing.ts';

/** Total time of a call, in ms (docs/api.md, "Webhooks"). */
export const callTimeout = 15_000;
/** The answer is read up to here and kept up to `keptAnswer`, in bytes. */
const longestAnswer = 64 * 1024;
const keptAnswer = 1024;
/** Waits that a receiver may ask for, in ms: one that says "at once" is not asked in a loop. */
const shortestThrottle = 1_000;
const longestThrottle = 24 * 60 * 60_000;

export interface AttemptOptions {
  client: OutgoingClient;
  clock: Pick<Clock, 'now' | 'elapsed'>;
  ids: Pick<Ids, 'random'>;
  /** Default `callTimeout`. */
  timeoutMs?: number;
}

/** One delivery as it goes out. */
export interface SignedEvent {
  url: string;
  /** The delivery's id. */
  id: string;
  /** One event as JSON text. */
  body: string;
  signer: Signer;
}

export interface Attempted {
  attempt: AttemptRecord;
  outcome: DeliveryOutcome;
}

/** Calls a receiver once. Never rejects. */
export async function attemptDelivery(
  options: AttemptOptions,
  { url, id, body, signer }: SignedEvent,
): Promise<Attempted> {
  const at = options.clock.now();
  // Made bytes once, for two signatures and the call.
  const bytes = Buffer.from(body);
  const result = await options.client.send({
    url,
    headers: signer({ id, at, body: bytes }),
    body: bytes,
    timeoutMs: options.timeoutMs ?? callTimeout,
    maximumAnswerBytes: longestAnswer,
  });
  return { attempt: attemptRecord(result, at), outcome: outcomeOf(result, options) };
}

function attemptRecord(result: OutgoingResult, at: number): AttemptRecord {
  if (result.kind !== 'answered') {
    const durationMs = result.kind === 'failed' ? result.durationMs : 0;
    return { at, durationMs, status: null, reason: result.reason, answer: '' };
  }
  const { durationMs, status, body } = result;
  return { at, durationMs, status, reason: null, answer: beginning(body) };
}

function outcomeOf(result: OutgoingResult, { clock, ids }: AttemptOptions): DeliveryOutcome {
  if (result.kind === 'answered') {
    const { status, headers } = result;
    if (status >= 200 && status < 300) return { kind: 'delivered' };
    if (status === 410) return { kind: 'gone' };
    if (status === 429 || status === 503) {
      const retryAfter = retryAfterOf(headers['retry-after'], clock.now(), longestThrottle);
      if (retryAfter !== null) return { kind: 'throttled', retryAfter: Math.max(shortestThrottle, retryAfter) };
    }
  }
  return { kind: 'failed', jitter: ids.random() };
}

/** The first bytes of a text that are kept, without half a character at the end. */
function beginning(text: string): string {
  if (text.length * 3 <= keptAnswer) return text;
  const bytes = Buffer.from(text.slice(0, keptAnswer));
  return bytes.length <= keptAnswer
    ? bytes.toString()
    : new TextDecoder().decode(bytes.subarray(0, keptAnswer), { stream: true });
}

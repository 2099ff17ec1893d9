import { parseJson } from '#actors/json.ts';
import type { OutgoingResult } from '#src/outgoing/call.ts';
import { retryAfterOf } from '#src/outgoing/retry-after.ts';
import type { CallOutcome } from './calls.ts';

/** The longest wait that a source may ask for, in ms; how much of it is waited follows from when a send is given up. */
const longestThrottle = 24 * 60 * 60_000;
/** A source that asks for no wait at all is not called in a loop. */
const shortestThrottle = 1_000;
/** The wait after a 429 that does not say how long. */
const defaultThrottle = 5_000;
const longestError = 1_000;

/** How a source says what it thinks of a call. */
export interface AnswerReading {
  /** What is called, for sentences: `The action endpoint`. */
  endpoint: string;
  /** What a 2xx answer means. Must not throw, whatever the body is. */
  accepted(body: string): CallOutcome;
  /** The source's own words for a refusal, null without any. Must not throw. */
  errorOf(body: string): string | null;
  /** What a 4xx answer means that is no plain refusal, such as a code for too many calls; null: it is one. Must not throw. */
  refusedAs?(body: string): CallOutcome | null;
}

/**
 * What the answer to a call means, alike for every source: 2xx is delivered, 4xx refused with the source's own words,
 * 429, and 5xx with Retry-After, a wait, everything else out of reach.
 * @param now epoch ms
 */
export function outcomeOf(result: OutgoingResult, now: number, reading: AnswerReading): CallOutcome {
  if (result.kind === 'refused') {
    const error =
      result.reason === 'address_not_allowed'
        ? `${reading.endpoint} is at an address that outgoing.allowNetworks does not allow.`
        : `${reading.endpoint} is not a URL that can be called.`;
    return { kind: 'rejected', error };
  }
  if (result.kind === 'failed') {
    return { kind: 'unreachable', error: `The source could not be reached (${result.reason}).` };
  }
  const { status, body } = result;
  if (status >= 200 && status < 300) return reading.accepted(body);
  const error = (): string =>
    (reading.errorOf(body) ?? `The source answered with status ${status}.`).slice(0, longestError);
  const retryAfter = retryAfterOf(result.headers['retry-after'], now, longestThrottle);
  if (status === 429 || (status >= 500 && retryAfter !== null)) {
    const wait = Math.max(shortestThrottle, retryAfter ?? defaultThrottle);
    return { kind: 'throttled', error: error(), retryAfter: wait };
  }
  if (status >= 500) return { kind: 'unreachable', error: `The source answered with status ${status}.` };
  if (status < 400) {
    return { kind: 'rejected', error: `The source answered with status ${status}; redirects are not followed.` };
  }
  return reading.refusedAs?.(body) ?? { kind: 'rejected', error: error() };
}

/** Numbers keep their digits, except in what is nested so deep that only the plain parser gets to its end. */
function parsed(body: string): unknown {
  try {
    return parseJson(body);
  } catch (error) {
    if (error instanceof RangeError) return JSON.parse(body);
    throw error;
  }
}

/** The JSON object that a body holds; an empty one when it holds anything else. */
export function objectIn(body: string): Record<string, unknown> {
  try {
    const value = parsed(body);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

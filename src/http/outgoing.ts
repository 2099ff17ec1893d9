import type { Failure } from '#actors/errors.ts';
import { errorAnswer } from './errors.ts';

/** An answer whose body is text already. */
export interface Outgoing {
  status: number;
  body: string | null;
  headers: Record<string, string>;
}

/** A failure as an answer. */
export function refusal(failure: Failure, headers: Record<string, string> = {}): Outgoing {
  const { status, body, headers: own } = errorAnswer(failure);
  return { status, body: JSON.stringify(body), headers: { ...own, ...headers } };
}

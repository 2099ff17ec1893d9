import type { Failure } from '#actors/errors.ts';
import { errorAnswer } from './errors.ts';

/** An answer whose body is text already. */
export interface Outgoing {
  status: number;
  body: string | null;
  headers: Record<string, string>;
}

/** A failure as an answer. @param page in the place of its JSON */
export function refusal(failure: Failure, headers: Record<string, string> = {}, page?: string): Outgoing {
  const { status, body, headers: own } = errorAnswer(failure);
  return { status, body: page ?? JSON.stringify(body), headers: { ...own, ...headers } };
}

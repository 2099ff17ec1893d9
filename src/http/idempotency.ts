import { hash } from 'node:crypto';
import type { StoredAnswer } from '#actors/idempotency-key/contract.ts';
import { Failure } from '#actors/errors.ts';
import { namespaces } from '#actors/ids.ts';
import { uuidV5 } from '#actors/uuid.ts';
import type { CommandSender } from '#actors/commands.ts';
import type { Services } from '#src/services.ts';
import type { Operation } from './operation.ts';

/** A request's Idempotency-Key, tied to who sent it and where. */
export interface KeyedRequest {
  /** The actor of the key. */
  actor: string;
  bodyHash: string;
}

/** A key whose work is to be done. */
export interface ClaimedKey {
  actor: string;
  generation: number;
  /** What command ids are derived from: the same key, used after it has expired, is another request. */
  root: string;
}

/** @throws Failure `invalid_idempotency_key` */
export function keyedRequest(key: string, caller: string, path: string, body: Buffer): KeyedRequest {
  if (!/^[\x21-\x7e]{1,255}$/.test(key)) {
    throw new Failure('invalid_idempotency_key', 'An Idempotency-Key is 1 to 255 visible ASCII characters.');
  }
  const actor = uuidV5(namespaces.idempotencyKey, caller, path, key);
  return { actor, bodyHash: hash('sha256', body) };
}

/**
 * The first answer of a key, or the key claimed when the work is to be done. Claiming uses ids of its own: two requests with one key
 * must both see the claim.
 * @throws Failure `idempotency_conflict`
 */
export async function claim(
  commands: CommandSender,
  { actor, bodyHash }: KeyedRequest,
): Promise<{ first: StoredAnswer } | { claimed: ClaimedKey }> {
  const { answer, generation } = await commands.send('idempotency-key', actor, 'key.claim', { bodyHash });
  if (answer !== null) return { first: answer };
  return { claimed: { actor, generation, root: `${actor} ${bodyHash} ${generation}` } };
}

/** Answers that a repeat must get again; the others tell of the moment and may be different next time. */
export const isFinal = (status: number): boolean => status < 500 && status !== 401 && status !== 403 && status !== 429;

/** An answer as it is kept: without its secret. */
export const stripped = (services: Services, { secret }: Operation, answer: StoredAnswer): Promise<StoredAnswer> =>
  withBody(answer, secret && ((body) => secret.strip(services, body)));

/** A kept answer as it went out. */
export const restored = (services: Services, { secret }: Operation, answer: StoredAnswer): Promise<StoredAnswer> =>
  withBody(answer, secret && ((body) => secret.restore(services, body)));

/** Refusals hold no secret. */
async function withBody(
  answer: StoredAnswer,
  change: ((body: unknown) => Promise<unknown>) | undefined,
): Promise<StoredAnswer> {
  if (change === undefined || answer.body === null || answer.status >= 300) return answer;
  return { ...answer, body: JSON.stringify(await change(JSON.parse(answer.body))) };
}

/**
 * Keeps the answer for 24 hours.
 * @param message id of the message that it shows
 * @returns the first answer, where another request with the key was faster; null: this one is it
 */
export function complete(
  commands: CommandSender,
  { actor, generation }: ClaimedKey,
  answer: StoredAnswer,
  message?: string,
): Promise<StoredAnswer | null> {
  const completed = { generation, answer, ...(message && { message }) };
  return commands.send('idempotency-key', actor, 'key.complete', completed);
}

/** The id of the message that an answer shows. */
export const shownMessage = ({ showsMessage }: Operation, { status, body }: StoredAnswer): string | undefined =>
  showsMessage && status === 200 && body !== null ? (JSON.parse(body) as { id: string }).id : undefined;

import type { JsonObject } from '#actors/representation.ts';
import { redacted } from '../graph/answers.ts';
import { idOf, listOf, objectOf, textOf } from '../graph/fields.ts';
import type { Said } from '../graph/said.ts';

const longestError = 1_000;

/** How far a message of ours got; of one that failed also why. */
export function saidOf({ id, status, errors }: JsonObject): Said | null {
  const [message, state] = [idOf(id), idOf(status)];
  if (message === null || state === null) return null;
  const receipts = [{ message, state }];
  if (state !== 'failed') return { receipts };
  const error = errorIn(listOf(errors)[0]) ?? 'The platform could not deliver the message, and gives no reason.';
  return { receipts, metadata: [{ namespace: 'message', sourceId: message, metadata: { error } }] };
}

/** Title, code and details of an error. */
function errorIn(error: unknown): string | null {
  const { code, title, message, error_data: data } = objectOf(error);
  const named = textOf(title) ?? textOf(message);
  if (named === null) return null;
  const numbered = typeof code === 'number' ? `${named} (${code})` : named;
  const details = textOf(objectOf(data)['details']);
  return redacted(details === null ? numbered : `${numbered}: ${details}`, []).slice(0, longestError);
}

import { z } from 'zod';
import type { FailureCode } from '#actors/errors.ts';

/** What the answers carry besides their bodies: `components.headers` of the document. */
export const answerHeaders = {
  'X-Request-Id': {
    description: 'The one of the request, or a new one; stands in the log.',
    schema: { type: 'string' },
  },
  'X-Api-Version': { description: 'Version of the hub.', schema: { type: 'string' } },
  'Idempotency-Replayed': {
    description: 'The answer is that of an earlier request with the same Idempotency-Key.',
    schema: { type: 'string', const: 'true' },
  },
  'Retry-After': { description: 'Seconds after which trying again makes sense.', schema: { type: 'string' } },
  'WWW-Authenticate': { description: 'How to show who calls.', schema: { type: 'string' } },
  Allow: { description: 'The methods of the path.', schema: { type: 'string' } },
  'X-Message-Id': { description: 'The id that the message will have.', schema: { type: 'string', format: 'uuid' } },
} as const;

export type AnswerHeader = keyof typeof answerHeaders;

/** On every answer. */
const always: readonly AnswerHeader[] = ['X-Request-Id', 'X-Api-Version'];

/** Of failures, beside those of every answer. */
const ofFailure: Partial<Record<FailureCode, AnswerHeader>> = {
  unauthorized: 'WWW-Authenticate',
  method_not_allowed: 'Allow',
  overloaded: 'Retry-After',
  rate_limited: 'Retry-After',
};

/** The headers of an answer, as references. */
export function headersOf(names: readonly AnswerHeader[], failures: readonly FailureCode[] = []) {
  const all = [...always, ...names, ...failures.flatMap((code) => ofFailure[code] ?? [])];
  return Object.fromEntries(all.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

const requestId = z
  .string()
  .regex(/^[\x21-\x7e]{1,128}$/)
  .optional()
  .describe('Comes back, and stands in the log.');

const idempotencyKey = z
  .string()
  .regex(/^[\x21-\x7e]{1,255}$/)
  .optional()
  .describe('The same key and body within 24 h get the first answer.');

/** The headers that an operation takes. */
export const requestHeaders = (isRead = false) =>
  z.object({ ...(isRead ? {} : { 'Idempotency-Key': idempotencyKey }), 'X-Request-Id': requestId });

/** The headers of a webhook's delivery; the signatures where the subscription has a `signature_key`. */
export const deliveryHeaders = z.object({
  'webhook-id': z.string().describe('Names the delivery: the same on every try.'),
  'webhook-timestamp': z.string().regex(/^\d+$/).describe('Epoch seconds of this try.'),
  'webhook-signature': z.string().optional().describe('Standard Webhooks: `v1,<base64>`, one for each valid key.'),
  'X-Service-Content-Signature': z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .optional()
    .describe('Lower-case hexadecimal HMAC-SHA256 of the body, keyed with the text of the key.'),
  'User-Agent': z.string().describe('`parley/` and the version.'),
});

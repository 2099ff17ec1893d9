import { z } from 'zod';
import { type Subscribing, type SubscriptionFields, webhookEventTypes } from '#actors/webhook-subscription/contract.ts';
import { recordOf } from '#src/ingest/fields.ts';
import { endpoint, text } from '../schemas.ts';

const mostHeaders = 32;
const longestHeaderName = 100;
const longestHeaderValue = 2_000;
const longestKey = 255;
const longestOverlapSeconds = 30 * 24 * 3_600;
/** Bytes that a Standard Webhooks key has. */
const leastKeyBytes = 24;
const mostKeyBytes = 64;

/** Headers of the connection, of the body's form and of the signatures: the hub's own. */
const ownHeaders =
  /^(host|connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|expect|content-.*|user-agent|webhook-.*|x-service-content-signature)$/i;
const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

const headers = recordOf(z.string(), z.string())
  .superRefine((given, context) => {
    const problem = (path: string[], message: string): void => context.addIssue({ code: 'custom', path, message });
    const names = Object.keys(given);
    if (names.length > mostHeaders) problem([], `must hold at most ${mostHeaders} headers`);
    const seen = new Set<string>();
    for (const name of names) {
      if (seen.has(name.toLowerCase())) problem([name], 'is there twice');
      seen.add(name.toLowerCase());
      const wrong = headerProblem(name, given[name]!);
      if (wrong !== null) problem([name], wrong);
    }
  })
  .meta({ description: 'Sent with every delivery. The headers of the connection and the signatures are the hub’s.' });

const signatureKey = z
  .string()
  .max(longestKey)
  .regex(/^[\x21-\x7e]+$/, 'must be visible ASCII characters')
  .refine(
    (key) => !key.startsWith('whsec_') || isStandardKey(key),
    `must hold base64 of ${leastKeyBytes} to ${mostKeyBytes} bytes behind whsec_`,
  )
  .meta({ description: 'Signs the deliveries; never answered. Either any text or a key of the form whsec_<base64>.' });

const rotationOverlap = z
  .int()
  .min(0)
  .max(longestOverlapSeconds)
  .meta({ description: 'Seconds for which the key before stays valid beside a new one; 86,400 when absent.' });

/** The request fields that say what a subscription is. */
export const subscriptionFields = {
  url: endpoint,
  name: text.nullish(),
  events: z
    .array(z.enum(webhookEventTypes))
    .min(1, 'must name a type; null means all of them')
    .nullish()
    .meta({ description: 'Null: all types.' }),
  headers: headers.nullish(),
  signature_key: signatureKey.nullish(),
  rotation_overlap: rotationOverlap.optional(),
  resume: z
    .boolean()
    .optional()
    .meta({ description: 'One that was unsubscribed goes on from where it stood; else it starts from now.' }),
};

/** What `subscriptionFields` makes of a request; absent keeps what is stored, null clears. */
export interface SubscriptionRequest {
  url?: string | undefined;
  name?: string | null | undefined;
  events?: SubscriptionFields['events'] | undefined;
  headers?: Record<string, string> | null | undefined;
  signature_key?: string | null | undefined;
  rotation_overlap?: number | undefined;
  resume?: boolean | undefined;
}

/** The fields as the actor takes them; `rotationOverlap` in ms. */
export function commandFields(request: SubscriptionRequest): Omit<Subscribing, 'start'> {
  const { url: address, name, events, headers: given, signature_key, rotation_overlap, resume } = request;
  return {
    ...(address !== undefined && { url: address }),
    ...(name !== undefined && { name }),
    ...(events !== undefined && { events: events === null ? null : [...new Set(events)] }),
    ...(given !== undefined && { headers: given }),
    ...(signature_key !== undefined && { signatureKey: signature_key }),
    ...(rotation_overlap !== undefined && { rotationOverlap: rotation_overlap * 1_000 }),
    ...(resume !== undefined && { resume }),
  };
}

/** Null when the header can be sent. */
function headerProblem(name: string, value: string): string | null {
  if (!token.test(name) || name.length > longestHeaderName) return 'is not the name of a header';
  if (ownHeaders.test(name)) return 'is a header that the hub sets itself';
  if (value.length > longestHeaderValue) return `must be at most ${longestHeaderValue} characters long`;
  return /^[\t\x20-\x7e]*$/.test(value) ? null : 'must be printable ASCII characters';
}

function isStandardKey(key: string): boolean {
  const encoded = key.slice('whsec_'.length);
  const bytes = Buffer.from(encoded, 'base64');
  // Node skips what is no base64: only a text that comes out the same was sound.
  const isBase64 = bytes.toString('base64').replace(/=+$/, '') === encoded.replace(/=+$/, '');
  return isBase64 && bytes.length >= leastKeyBytes && bytes.length <= mostKeyBytes;
}

import { leftOut } from '#actors/metadata.ts';
import type { PlatformApp } from '#src/config/config.ts';
import type { CallOutcome } from '../calls.ts';
import { type AnswerReading, objectIn } from '../outcome.ts';
import { idOf, objectOf, textOf } from './fields.ts';
import { hmacOf } from './signature.ts';

/** Codes of refusals that mean too many calls, each with the wait in ms: the platform names none. */
const throttledFor: Record<number, number> = {
  // Of an app, a user or a page, by the hour.
  ...{ 4: 60_000, 17: 60_000, 32: 60_000, 80007: 60_000 },
  // Of one kind of call.
  613: 10_000,
  // Of a number, by the second; of a number and a contact, one in six seconds.
  ...{ 130429: 4_000, 131056: 16_000 },
};

/** What of a call must not come back: the platform's errors can hold it. */
export const secretsOf = ({ appSecret, webhookSecret }: PlatformApp, token: string | null): string[] => {
  const own = [appSecret.reveal(), webhookSecret.reveal()];
  return token === null ? own : [...own, token, hmacOf(appSecret.reveal(), token)];
};

const named =
  /((?:access|exchange|input|user|page)_token|appsecret_proof|client_secret|verify_token)((?:["']?\s*[=:]|%3d)\s*["']?)[^\s&"',;)]+/gi;
/** How tokens of the platform begin, wherever they come from. */
const token = /(?:EAA|IGAA|IGQ)[A-Za-z0-9_-]{12,}/g;

/** A text without the secrets in it, written plainly or as in an address, and without what looks like one. */
export function redacted(text: string, secrets: readonly string[]): string {
  const forms = secrets.flatMap((secret) => [secret, encodeURIComponent(secret)]).filter((form) => form !== '');
  const without = forms.reduce((left, form) => left.replaceAll(form, '[redacted]'), text);
  return without.replace(named, '$1$2[redacted]').replace(token, '[redacted]');
}

/** How the platform answers. @param accepted what a 2xx answer means */
export const readingOf = (
  secrets: readonly string[],
  accepted: (said: Record<string, unknown>) => CallOutcome,
): AnswerReading => ({
  endpoint: 'The API of the platform',
  accepted: (body) => accepted(objectIn(body)),
  errorOf: (body) => errorOf(body, secrets),
  refusedAs(body) {
    const { code, is_transient: isTransient } = objectOf(objectIn(body)['error']);
    const error = errorOf(body, secrets) ?? 'The platform gives no reason.';
    const wait = typeof code === 'number' && Object.hasOwn(throttledFor, code) ? throttledFor[code]! : null;
    if (wait !== null) return { kind: 'throttled', error, retryAfter: wait };
    return isTransient === true ? { kind: 'unreachable', error } : null;
  },
});

/** The words for a refusal, with what the platform says more of it. */
function errorOf(body: string, secrets: readonly string[]): string | null {
  const { message, error_data: data } = objectOf(objectIn(body)['error']);
  const words = [textOf(message), textOf(objectOf(data)['details'])].filter((text) => text !== null);
  return words.length === 0 ? null : redacted(words.join(': '), secrets).trim() || null;
}

/** A message was taken. Without an id its receipts and its echo can not find it: not a thing to be silent about. */
export function takenAs(given: unknown, field: string): CallOutcome {
  const sourceMessageId = idOf(given);
  const metadata = sourceMessageId === null ? leftOut(`its ${field} is no text of 1 to 255 visible characters`) : {};
  return { kind: 'succeeded', sourceMessageId, metadata };
}

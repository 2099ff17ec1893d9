import { isObject } from '#actors/json.ts';
import { leftOut } from '#actors/metadata.ts';
import type { Json } from '#actors/representation.ts';
import { foreignId } from '#src/ingest/fields.ts';
import type { CallOutcome } from '../calls.ts';
import type { Deliver } from '../connector.ts';
import { type AnswerReading, objectIn, outcomeOf } from '../outcome.ts';
import { onTheWire } from './addresses.ts';
import { asksToWait, failureText } from './errors.ts';
import { credential, messagesUrl, type Telco, withoutSecrets } from './platform.ts';

/** Total time of a call, in ms. */
const callTimeout = 10_000;
/** The wait where a refusal asks for one and does not say how long, in ms. */
const pause = 5_000;

/** What a message must have one of. */
const sendable = ['Body', 'MediaUrl', 'ContentSid'];
/** What only the hub says. */
const ofTheHub = ['To', 'From', 'StatusCallback'];
/** The names that the platform gives to what can be said of a message: those it has, and those it will have. */
const platformName = /^[A-Z][A-Za-z0-9]*$/;

/** @param statusCallback where the platform tells how far a message is; null: it can not reach the hub */
export const deliverBy =
  (telco: Telco, statusCallback: string | null): Deliver =>
  async ({ message, channel, conversation }, { http, now }) => {
    const fields = fieldsOf(message.content);
    const problem = problemOf(fields);
    if (problem !== null) return { kind: 'rejected', error: problem };
    const form = new URLSearchParams([
      ['To', onTheWire(conversation.sourceConversationId)],
      ['From', onTheWire(channel.source_channel_id)],
      ...fields,
      ...(statusCallback === null ? [] : [['StatusCallback', statusCallback]]),
    ]);
    const result = await http.send({
      url: messagesUrl(telco),
      headers: { Authorization: credential(telco), 'Content-Type': 'application/x-www-form-urlencoded' },
      body: form.toString(),
      timeoutMs: callTimeout,
    });
    return outcomeOf(result, now(), { ...readingOf(telco), accepted });
  };

/** What a content says, in the platform's own names; `text` is short for one of them. */
function fieldsOf(content: Json): [name: string, value: string][] {
  if (typeof content === 'string') return [['Body', content]];
  if (!isObject(content)) return [];
  return Object.entries(content)
    .filter(([name]) => !ofTheHub.includes(name))
    .flatMap(([name, value]) => {
      const values = Array.isArray(value) ? value : [value];
      const field = name === 'text' && !Object.hasOwn(content, 'Body') ? 'Body' : name;
      return values.filter((one) => one !== null).map((one): [string, string] => [field, textOf(one)]);
    });
}

/** As a field of a form: numbers by their digits, objects (`ContentVariables`) as JSON. */
const textOf = (value: Json): string => (typeof value === 'string' ? value : JSON.stringify(value));

function problemOf(fields: readonly [name: string, value: string][]): string | null {
  const unknown = fields.map(([name]) => name).filter((name) => !platformName.test(name));
  if (unknown.length > 0) return `The platform has no field ${unknown[0]}: it takes text, or fields such as Body.`;
  const isSendable = fields.some(([name, value]) => sendable.includes(name) && value !== '');
  return isSendable ? null : 'There is nothing to send: a message has text, a MediaUrl or a ContentSid.';
}

/** What the platform says of a call that it does not take. */
export const readingOf = (telco: Telco): Omit<AnswerReading, 'accepted'> => {
  const errorOf = (body: string): string | null => {
    const { code, text } = refusalIn(body);
    return text === '' ? null : withoutSecrets(failureText(code, text), telco);
  };
  return {
    endpoint: 'The telephony provider',
    errorOf,
    refusedAs(body) {
      if (!asksToWait(refusalIn(body).code)) return null;
      return { kind: 'throttled', error: errorOf(body) ?? 'The telephony provider asks to wait.', retryAfter: pause };
    },
  };
};

function refusalIn(body: string): { code: string; text: string } {
  const { code, message } = objectIn(body);
  const isCode = typeof code === 'number' || typeof code === 'string';
  return { code: isCode ? String(code) : '', text: typeof message === 'string' ? message.trim() : '' };
}

const badSid = 'its sid is no text of 1 to 255 visible characters';

function accepted(body: string): CallOutcome {
  const sid = foreignId.safeParse(objectIn(body)['sid']);
  // Without an id its receipts can not find the message: not a thing to be silent about.
  if (!sid.success) return { kind: 'succeeded', sourceMessageId: null, metadata: leftOut(badSid) };
  return { kind: 'succeeded', sourceMessageId: sid.data, metadata: {} };
}

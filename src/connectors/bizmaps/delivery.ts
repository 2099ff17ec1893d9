import { isObject } from '#actors/json.ts';
import type { Json, JsonObject } from '#actors/representation.ts';
import { foreignId } from '#src/ingest/fields.ts';
import type { CallOutcome } from '../calls.ts';
import type { Deliver } from '../connector.ts';
import { type AnswerReading, objectIn, outcomeOf } from '../outcome.ts';
import { type BizMapsApi, isResult } from './api.ts';
import { lastPart } from './names.ts';

const noRepresentative =
  'A message to this platform says who writes it: representative.representativeType must be BOT or HUMAN.';
/** The wait before a call with a new token, or one less in a row, in ms. */
const pause = 5_000;

export const deliverBy =
  (api: BizMapsApi): Deliver =>
  async ({ message, conversation }, tools) => {
    const { content, id } = message;
    if (!isObject(content) || !hasRepresentative(content)) return { kind: 'rejected', error: noRepresentative };
    // The platform takes a message of one id once, however often it is sent.
    const body = { ...content, messageId: id };
    const made = await api.call({ conversation: conversation.sourceConversationId, path: '/messages', body }, tools);
    return isResult(made) ? outcomeOf(made, tools.now(), readingOf(id)) : made;
  };

function hasRepresentative(content: JsonObject): boolean {
  const representative: Json = content['representative'] ?? null;
  const type = isObject(representative) ? representative['representativeType'] : null;
  return type === 'BOT' || type === 'HUMAN';
}

const readingOf = (id: string): AnswerReading => ({
  endpoint: 'The platform',
  accepted(body) {
    const named = foreignId.safeParse(lastPart(objectIn(body)['name'], 'messages'));
    return { kind: 'succeeded', sourceMessageId: named.success ? named.data : id, metadata: {} };
  },
  errorOf: (body) => refusalIn(body).text,
  refusedAs(body): CallOutcome | null {
    const { status, text } = refusalIn(body);
    if (status === 'ALREADY_EXISTS') return { kind: 'succeeded', sourceMessageId: id, metadata: {} };
    if (status !== 'UNAUTHENTICATED' && status !== 'RESOURCE_EXHAUSTED') return null;
    return { kind: 'throttled', error: text ?? `The platform refused the call (${status}).`, retryAfter: pause };
  },
});

function refusalIn(body: string): { status: string | null; text: string | null } {
  const error = objectIn(body)['error'] as Json | undefined;
  const { status = null, message = null } = isObject(error) ? error : {};
  return {
    status: typeof status === 'string' ? status : null,
    text: typeof message === 'string' && message.trim() !== '' ? message : null,
  };
}

import { createHmac } from 'node:crypto';
import type { AttemptOutcome } from '#machines/message-delivery.ts';
import type { DeliveryWork } from '#actors/conversation/delivery-reader.ts';
import type { OutgoingResult } from '../outgoing/call.ts';
import { retryAfterOf } from '../outgoing/retry-after.ts';

/** The header that carries the HMAC-SHA256 of the exact body, in lower-case hexadecimal. */
export const signatureHeader = 'X-Service-Content-Signature';

/** The longest wait that a source may ask for, in ms. */
const longestThrottle = 5 * 60_000;
const defaultThrottle = 1_000;
const longestError = 1_000;

/** The body of a call to an action endpoint (hub-api.md, "Source API"). */
export function actionBody({ message, conversation, channel, knownToSource }: DeliveryWork): string {
  return JSON.stringify({
    type: 'message.send',
    payload: {
      message: {
        id: message.id,
        source_recipient_id: conversation.sourceConversationId,
        content: message.content,
        sent_at: String(message.sentAt),
      },
      // A source that has never heard of the conversation is told only whom to reach.
      ...(knownToSource && {
        conversation: {
          id: conversation.id,
          channel_id: channel.id,
          source_channel_id: channel.source_channel_id,
          source_conversation_id: conversation.sourceConversationId,
          created_at: conversation.createdAt,
        },
      }),
    },
  });
}

/** The signature of a body, keyed with the source's token. */
export const signature = (body: string, token: string): string =>
  createHmac('sha256', token).update(body).digest('hex');

/** What the answer of an action endpoint means: the closed list of failures (architecture.md, "Effects"). */
export function outcomeOf(result: OutgoingResult, random: () => number, now: number): AttemptOutcome {
  if (result.kind === 'refused') {
    const error =
      result.reason === 'address_not_allowed'
        ? 'The action endpoint is at an address that outgoing.allowNetworks does not allow.'
        : 'The action endpoint is not a URL that can be called.';
    return { kind: 'rejected', error };
  }
  if (result.kind === 'failed') {
    return { kind: 'unreachable', error: `The source could not be reached (${result.reason}).`, jitter: random() };
  }
  const { status } = result;
  if (status >= 200 && status < 300) return accepted(result.body);
  const retryAfter = retryAfterOf(result.headers['retry-after'], now, longestThrottle);
  if (status === 429 || (status === 503 && retryAfter !== null)) {
    return { kind: 'throttled', error: errorText(result.body, status), retryAfter: retryAfter ?? defaultThrottle };
  }
  if (status >= 500)
    return { kind: 'unreachable', error: `The source answered with status ${status}.`, jitter: random() };
  if (status < 400)
    return { kind: 'rejected', error: `The source answered with status ${status}; redirects are not followed.` };
  return { kind: 'rejected', error: errorText(result.body, status) };
}

function accepted(body: string): AttemptOutcome {
  const answer = objectOf(body);
  const id = answer['source_message_id'];
  const metadata = answer['metadata'];
  return {
    kind: 'succeeded',
    sourceMessageId: typeof id === 'string' && id !== '' && id.isWellFormed() ? id : null,
    metadata: typeof metadata === 'object' && metadata !== null && !Array.isArray(metadata) ? { ...metadata } : {},
  };
}

function errorText(body: string, status: number): string {
  const { error } = objectOf(body);
  const text = typeof error === 'string' && error !== '' ? error : `The source answered with status ${status}.`;
  return text.slice(0, longestError);
}

function objectOf(body: string): Record<string, unknown> {
  try {
    const value = JSON.parse(body) as unknown;
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : {};
  } catch {
    return {};
  }
}

import { contentSignature, signatureHeader } from '#src/outgoing/content-signature.ts';
import type { Delivery, CallOutcome, DeliveryTools } from '../connector.ts';
import { type AnswerReading, objectIn, outcomeOf } from '../outcome.ts';

/** Total time of a call, in ms; connecting has 3 s of it. */
const callTimeout = 10_000;

/** Calls the action endpoint of the source, signed with its token. */
export async function deliver(delivery: Delivery, { http, now }: DeliveryTools): Promise<CallOutcome> {
  const { registered, channel } = delivery;
  if (registered === null || registered.actionEndpoint === null) {
    const error = `The source ${channel.source} has no action_endpoint, so it can not send messages.`;
    return { kind: 'rejected', error };
  }
  const body = actionBody(delivery);
  const result = await http.post({
    url: registered.actionEndpoint,
    headers: { 'Content-Type': 'application/json', [signatureHeader]: contentSignature(body, registered.token) },
    body,
    timeoutMs: callTimeout,
  });
  return outcomeOf(result, now(), reading);
}

/** The body of a call to an action endpoint. */
function actionBody({ message, conversation, channel, knownToSource }: Delivery): string {
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

const reading: AnswerReading = {
  endpoint: 'The action endpoint',
  accepted(body) {
    const { source_message_id: id, metadata } = objectIn(body);
    return {
      kind: 'succeeded',
      sourceMessageId: typeof id === 'string' && id !== '' && id.isWellFormed() ? id : null,
      metadata: typeof metadata === 'object' && metadata !== null && !Array.isArray(metadata) ? { ...metadata } : {},
    };
  },
  errorOf(body) {
    const { error } = objectIn(body);
    return typeof error === 'string' && error !== '' ? error : null;
  },
};

import { isObject } from '#actors/json.ts';
import { leftOut } from '#actors/metadata.ts';
import type { Json, JsonObject } from '#actors/representation.ts';
import { foreignId } from '#src/ingest/fields.ts';
import { contentSignature, signatureHeader } from '#src/outgoing/content-signature.ts';
import type { CallOutcome, CallTools } from '../calls.ts';
import type { Delivery } from '../connector.ts';
import { type AnswerReading, objectIn, outcomeOf } from '../outcome.ts';

/** Total time of a call, in ms; connecting has 3 s of it. */
const callTimeout = 10_000;

/** Calls the action endpoint of the source, signed with its token. */
export async function deliver(delivery: Delivery, { http, now }: CallTools): Promise<CallOutcome> {
  const { registered, channel } = delivery;
  if (registered === null || registered.actionEndpoint === null) {
    const error = `The source ${channel.source} has no action_endpoint, so it can not send messages.`;
    return { kind: 'rejected', error };
  }
  const body = actionBody(delivery);
  const result = await http.send({
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
      channel: { id: channel.id, source_channel_id: channel.source_channel_id },
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

const badId = 'its source_message_id is no text of 1 to 255 visible characters';

const reading: AnswerReading = {
  endpoint: 'The action endpoint',
  accepted(body) {
    const { source_message_id: id = null, metadata = null } = objectIn(body);
    const given = foreignId.safeParse(id);
    const said = isObject(metadata as Json) ? (metadata as JsonObject) : {};
    if (given.success && given.data.isWellFormed())
      return { kind: 'succeeded', sourceMessageId: given.data, metadata: said };
    // Without an id its receipts and its echo can not find the message: not a thing to be silent about.
    const noted = id === null ? said : { ...said, ...leftOut(badId) };
    return { kind: 'succeeded', sourceMessageId: null, metadata: noted };
  },
  errorOf(body) {
    const { error } = objectIn(body);
    return typeof error === 'string' && error !== '' ? error : null;
  },
};

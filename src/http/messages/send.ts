import { z } from 'zod';
import type { ConversationOrigin } from '#actors/conversation/contract.ts';
import type { ChannelJson, Json, MessageJson } from '#actors/representation.ts';
import { Failure } from '#actors/errors.ts';
import { conversationId } from '#actors/ids.ts';
import { foreignId, jsonObject } from '#src/ingest/fields.ts';
import { exampleIds } from '../examples.ts';
import { type Answer, type CoreCall, defineOperation, empty, ok } from '../operation.ts';
import { messageSchema, uuid } from '../schemas.ts';

const request = z
  .object({
    conversation_id: uuid.optional(),
    source_recipient_id: foreignId.optional(),
    channel_id: uuid.optional(),
    message: jsonObject.describe('Forwarded unchanged to the source.'),
  })
  .superRefine((body, context) => {
    const starts = body.source_recipient_id !== undefined || body.channel_id !== undefined;
    const complete = body.source_recipient_id !== undefined && body.channel_id !== undefined;
    if ((body.conversation_id !== undefined) === starts || (starts && !complete)) {
      const message = 'give either conversation_id, or source_recipient_id and channel_id';
      context.addIssue({ code: 'custom', path: ['conversation_id'], message });
    }
  });

export const sendMessage = defineOperation({
  path: '/messages.send',
  summary: 'Send a message in a conversation, or start one with a recipient.',
  auth: 'core',
  keys: 'bound',
  request,
  example: { conversation_id: exampleIds.conversation, message: { text: 'Hello, how can we help?' } },
  responses: { 200: messageSchema, 202: null },
  answers: {
    202: {
      description: 'The conversation is not there yet: the message waits 30 s for it.',
      headers: ['X-Message-Id'],
    },
  },
  showsMessage: true,
  errors: ['not_found', 'conversation_erased', 'channel_not_connected', 'source_cannot_start_conversation'],
  handle(call, { conversation_id, source_recipient_id, channel_id, message }) {
    const content = message as Json;
    if (conversation_id !== undefined) return send(call, conversation_id, content);
    return start(call, channel_id!, source_recipient_id!, content);
  },
});

/** Without a message, the conversation is not there yet: the send waits for it. */
type Sent = Answer<200, MessageJson> | Answer<202, undefined>;

async function send(call: CoreCall, conversation: string, content: Json): Promise<Sent> {
  // A disconnect between this look and the send shows as a failed message: the dispatcher asks again.
  const known = call.services.store.conversations.find(conversation);
  if (known !== null) assertUsable(call, known.channel);
  return handOver(call, conversation, content);
}

async function start(call: CoreCall, channel: string, recipient: string, content: Json): Promise<Sent> {
  const found = call.services.store.channels.find(channel);
  if (found === null) throw new Failure('not_found', `There is no channel ${channel}.`);
  const starter = call.services.connectors.of(found)?.starter;
  if (starter === undefined) {
    const message = `A conversation on ${found.source} can only be started by the contact.`;
    throw new Failure('source_cannot_start_conversation', message);
  }
  assertUsable(call, found);
  const origin = {
    channelId: channel,
    source: found.source,
    sourceConversationId: starter.conversationWith(recipient, found.source),
    ...(call.services.features.isOn('contacts') && { contact: true as const }),
  };
  return handOver(call, conversationId(channel, origin.sourceConversationId), content, origin);
}

/** `origin` makes the conversation when there is none. */
async function handOver(
  { caller, commands, newId }: CoreCall,
  conversation: string,
  content: Json,
  origin?: ConversationOrigin,
): Promise<Sent> {
  const messageId = newId();
  const { message } = await commands.send('conversation', conversation, 'message.send', {
    ...{ messageId, content, sender: caller.sender },
    ...(origin && { origin }),
  });
  return message === null ? empty(202, { 'X-Message-Id': messageId }) : ok(message);
}

/** @throws Failure `channel_not_connected` where a message would fail: nobody carries it */
function assertUsable({ services }: CoreCall, channel: ChannelJson): void {
  if (!channel.connected) {
    throw new Failure('channel_not_connected', `The channel ${channel.id} is not connected. Connect it again first.`);
  }
  if (services.connectors.of(channel) === null) {
    const message = `The source ${channel.source} of the channel ${channel.id} is switched off. Switch it on first.`;
    throw new Failure('channel_not_connected', message);
  }
}

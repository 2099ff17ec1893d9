import { isObject } from '#actors/json.ts';
import type { PlatformApp } from '#src/config/config.ts';
import type { Deliver } from '../connector.ts';
import { readingOf, secretsOf, takenAs } from '../graph/answers.ts';
import { requestOf } from '../graph/calls.ts';
import { listOf, objectOf } from '../graph/fields.ts';
import { outcomeOf } from '../outcome.ts';

const notLinked = 'The channel has no token of the platform: connect it again.';
const noObject = 'A message of the platform is an object, such as {"type":"text","text":{"body":"Hello"}}.';

/** Sends from the number of the channel. */
export const deliverFor =
  (app: PlatformApp): Deliver =>
  async ({ message, conversation, channel, token }, { http, now }) => {
    if (token === null) return { kind: 'rejected', error: notLinked };
    if (!isObject(message.content)) return { kind: 'rejected', error: noObject };
    const body = {
      ...message.content,
      ...{ messaging_product: 'whatsapp', recipient_type: 'individual', to: conversation.sourceConversationId },
    };
    const path = [channel.source_channel_id, 'messages'];
    const result = await http.send(requestOf(app, token, { path, body }));
    const reading = readingOf(secretsOf(app, token), ({ messages }) =>
      takenAs(objectOf(listOf(messages)[0])['id'], 'id'),
    );
    return outcomeOf(result, now(), reading);
  };

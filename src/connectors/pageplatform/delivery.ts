import { isObject } from '#actors/json.ts';
import type { Json } from '#actors/representation.ts';
import type { PlatformApp } from '#src/config/config.ts';
import type { Deliver } from '../connector.ts';
import { readingOf, secretsOf, takenAs } from '../graph/answers.ts';
import { requestOf } from '../graph/calls.ts';
import { outcomeOf } from '../outcome.ts';

const notLinked = 'The channel has no token of the platform: connect it again.';

/** Sends as the page. */
export const deliverFor =
  (app: PlatformApp): Deliver =>
  async ({ message, conversation, token }, { http, now }) => {
    if (token === null) return { kind: 'rejected', error: notLinked };
    const body = { recipient: { id: conversation.sourceConversationId }, ...enveloped(message.content) };
    const result = await http.send(requestOf(app, token, { path: ['me', 'messages'], body }));
    const reading = readingOf(secretsOf(app, token), ({ message_id: id }) => takenAs(id, 'message_id'));
    return outcomeOf(result, now(), reading);
  };

/** How a message is meant stands beside it for the platform, and in its content for the hub. */
function enveloped(content: Json): object {
  if (!isObject(content)) return { message: content };
  const { messaging_type, tag, ...message } = content;
  return {
    ...(messaging_type !== undefined && { messaging_type }),
    ...(tag !== undefined && { tag }),
    message,
  };
}

import { z } from 'zod';
import { Failure } from '#actors/errors.ts';
import type { ChannelJson } from '#actors/representation.ts';
import type { Services } from '#src/services.ts';
import { exampleIds } from '../examples.ts';
import { defineOperation, empty } from '../operation.ts';
import { uuid } from '../schemas.ts';

export const typingConversation = defineOperation({
  path: '/conversations.typing',
  summary: 'Show the contact that an agent types, for 10 seconds or until told otherwise, where the source can.',
  auth: 'core',
  keys: 'bound',
  request: z.object({ conversation_id: uuid, typing: z.boolean().optional().describe('Absent: true.') }),
  example: { conversation_id: exampleIds.conversation, typing: true },
  responses: { 204: null },
  errors: ['not_found'],
  handle({ services }, { conversation_id, typing = true }) {
    const { store } = services;
    const conversation = store.conversations.find(conversation_id);
    if (conversation === null) throw new Failure('not_found', `There is no conversation ${conversation_id}.`);
    services.typing.tell(conversation_id, typing);
    tellSource(services, conversation_id, conversation.channel, typing);
    return empty(204);
  },
});

/** Nobody waits for the platform: what it misses is over soon. */
function tellSource(
  { connectors, store, callTools }: Services,
  id: string,
  channel: ChannelJson,
  typing: boolean,
): void {
  const notifier = channel.connected ? connectors.of(channel)?.typing : undefined;
  const stored = notifier === undefined ? null : store.conversations.stored(id);
  if (notifier === undefined || stored === null) return;
  const { sourceConversationId } = stored;
  void notifier.notify({ channel, token: store.channels.token(channel.id), sourceConversationId }, typing, callTools);
}

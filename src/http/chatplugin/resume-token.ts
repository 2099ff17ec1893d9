import { z } from 'zod';
import { Failure } from '#actors/errors.ts';
import { conversationId } from '#actors/ids.ts';
import { visitedSource } from '#src/connectors/registry.ts';
import type { Services } from '#src/services.ts';
import type { VisitClaims } from '#src/security/visitor-token.ts';
import { exampleIds } from '../examples.ts';
import { defineOperation, ok } from '../operation.ts';
import { uuid } from '../schemas.ts';

export const resumeTokenChatplugin = defineOperation({
  path: '/chatplugin.resumeToken',
  summary: 'Make a token by which a visitor goes on with a conversation later, or elsewhere.',
  auth: 'visitor-or-system',
  feature: 'chatplugin',
  isRead: true,
  request: z.object({
    channel_id: uuid.optional().describe('With the system token: where the conversation is.'),
    conversation_id: uuid.optional().describe('With the system token. A visitor gets a token of the own conversation.'),
  }),
  example: { channel_id: exampleIds.channel, conversation_id: exampleIds.conversation },
  responses: { 200: z.object({ resume_token: z.string() }) },
  errors: ['feature_disabled', 'not_found'],
  async handle({ services, caller }, body) {
    const claims = caller.kind === 'visitor' ? caller : claimsOf(services, body);
    return ok({ resume_token: await services.visitorTokens.make('resume', claims) });
  },
});

/** @throws Failure `invalid_request`, `not_found` */
function claimsOf(
  { store }: Services,
  {
    channel_id: channelId,
    conversation_id: id,
  }: { channel_id?: string | undefined; conversation_id?: string | undefined },
): VisitClaims {
  if (channelId === undefined || id === undefined) {
    throw new Failure(
      'invalid_request',
      'With the system token, channel_id and conversation_id say whose token it is.',
    );
  }
  const found = store.conversations.stored(id);
  const isThere = found !== null && conversationId(channelId, found.sourceConversationId) === id;
  if (!isThere || store.channels.find(channelId)?.source !== visitedSource) {
    throw new Failure('not_found', `There is no conversation ${id} of a visitor on the channel ${channelId}.`);
  }
  return { conversationId: id, channelId, contact: found.sourceConversationId };
}

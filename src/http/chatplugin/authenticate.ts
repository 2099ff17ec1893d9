import { z } from 'zod';
import { Failure } from '#actors/errors.ts';
import { conversationId } from '#actors/ids.ts';
import { visitedSource } from '#src/connectors/registry.ts';
import { assertPageMay, visitorBy } from '#src/security/visitor-door.ts';
import type { VisitClaims } from '#src/security/visitor-token.ts';
import { type Call, defineOperation, ok } from '../operation.ts';
import { exampleIds } from '../examples.ts';
import { messageSchema, uuid } from '../schemas.ts';
import { collectedMessages } from './collected-messages.ts';

const longestToken = 4_096;

export const authenticateChatplugin = defineOperation({
  path: '/chatplugin.authenticate',
  summary: 'Begin a conversation on a channel, or go on with the one of a resume token.',
  auth: 'public',
  feature: 'chatplugin',
  // What one visitor is answered is for nobody else who happens to have the same key.
  isRead: true,
  request: z
    .object({
      channel_id: uuid.optional().describe('For a new conversation.'),
      resume_token: z.string().max(longestToken).optional().describe('From chatplugin.resumeToken.'),
    })
    .refine((body) => (body.channel_id === undefined) !== (body.resume_token === undefined), {
      error: 'give either channel_id or resume_token',
      path: ['channel_id'],
    })
    .meta({ anyOf: [{ required: ['channel_id'] }, { required: ['resume_token'] }] }),
  example: { channel_id: exampleIds.channel },
  responses: {
    200: z.object({
      token: z.string(),
      messages: z.array(messageSchema),
      cursor: z.string().describe('Subscribe with it as `after`: what came since this answer is told.'),
    }),
  },
  errors: ['feature_disabled', 'rate_limited', 'not_found', 'channel_not_connected', 'unauthorized', 'forbidden'],
  async handle(call, { channel_id, resume_token }) {
    const { services, from } = call;
    const known = resume_token === undefined ? null : await visitorBy(services, 'resume', resume_token);
    if (known === null) services.visitorLimits.admitAddress('authenticate', from.address);
    const claims = known ?? begun(call, channel_id);
    // Pages that may not come use up nothing of the channel's.
    assertPageMay(services, claims.channelId, from.page);
    // After a restart all who are known come back at once: strangers' bounds are none of theirs.
    if (known === null) services.visitorLimits.admitChannel('authenticate', claims.channelId);
    else services.visitorLimits.admitVisitor(claims.conversationId);
    const token = await services.visitorTokens.make('visit', claims);
    // Before the Messages are read: what comes in between is told twice rather than never.
    const cursor = services.feed.encodeCursor(services.feed.end());
    return ok({ token, messages: await collectedMessages(call, claims), cursor });
  },
});

/**
 * A visitor whom nobody has met.
 * @param channelId undefined: a resume token was given, and is none
 * @throws Failure `unauthorized`, `not_found`, `channel_not_connected`
 */
function begun({ services, newId }: Call, channelId: string | undefined): VisitClaims {
  if (channelId === undefined) {
    throw new Failure('unauthorized', 'The resume_token is not one of this hub, or it is over. Begin with channel_id.');
  }
  const channel = services.store.channels.find(channelId);
  if (channel?.source !== visitedSource) {
    throw new Failure('not_found', `There is no channel ${channelId} for visitors.`);
  }
  if (!channel.connected) throw new Failure('channel_not_connected', `The channel ${channelId} is not connected.`);
  const contact = newId();
  return { conversationId: conversationId(channelId, contact), channelId, contact };
}

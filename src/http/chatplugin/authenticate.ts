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
  responses: { 200: z.object({ token: z.string(), messages: z.array(messageSchema) }) },
  errors: ['feature_disabled', 'rate_limited', 'not_found', 'channel_not_connected', 'unauthorized', 'forbidden'],
  async handle(call, { channel_id, resume_token }) {
    const { services, from } = call;
    services.visitorLimits.admitAddress('authenticate', from.address);
    const claims = resume_token === undefined ? begun(call, channel_id!) : await resumed(call, resume_token);
    // Pages that may not come use up nothing of the channel's.
    assertPageMay(services, claims.channelId, from.page);
    services.visitorLimits.admitChannel('authenticate', claims.channelId);
    const token = await services.visitorTokens.make('visit', claims);
    return ok({ token, messages: await collectedMessages(call, claims) });
  },
});

/** A visitor whom nobody has met. @throws Failure `not_found`, `channel_not_connected` */
function begun({ services, newId }: Call, channelId: string): VisitClaims {
  const channel = services.store.channels.find(channelId);
  if (channel?.source !== visitedSource) {
    throw new Failure('not_found', `There is no channel ${channelId} for visitors.`);
  }
  if (!channel.connected) throw new Failure('channel_not_connected', `The channel ${channelId} is not connected.`);
  const contact = newId();
  return { conversationId: conversationId(channelId, contact), channelId, contact };
}

/** @throws Failure `unauthorized`, `channel_not_connected` */
async function resumed({ services }: Call, token: string): Promise<VisitClaims> {
  const visitor = await visitorBy(services, 'resume', token);
  if (visitor === null) {
    throw new Failure('unauthorized', 'The resume_token is not one of this hub, or it is over. Begin with channel_id.');
  }
  return visitor;
}

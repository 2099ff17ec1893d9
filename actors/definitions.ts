import { channelDefinition } from './channel/commands.ts';
import { conversationDefinition } from './conversation/commands.ts';
import { idempotencyKeyDefinition } from './idempotency-key/commands.ts';
import type { ActorDefinitions } from './runtime/command-handling.ts';
import { sourceDefinition } from './source/commands.ts';
import { webhookSubscriptionDefinition } from './webhook-subscription/commands.ts';

/** Every kind of actor there is. */
export const actorDefinitions: ActorDefinitions = {
  conversation: conversationDefinition,
  channel: channelDefinition,
  source: sourceDefinition,
  'idempotency-key': idempotencyKeyDefinition,
  'webhook-subscription': webhookSubscriptionDefinition,
};

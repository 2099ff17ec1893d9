import { z } from 'zod';
import { defineRead, ok } from '../operation.ts';
import { subscriptionSchema } from './schemas.ts';

export const listWebhooks = defineRead({
  path: '/webhooks.list',
  summary: 'List the webhook subscriptions, without their keys.',
  auth: 'core',
  feature: 'webhook',
  request: z.object({}),
  example: {},
  responses: { 200: z.object({ data: z.array(subscriptionSchema) }).describe('All of them.') },
  errors: ['feature_disabled'],
  handle: ({ services }) => ok({ data: services.store.webhooks.list() }),
});

import { z } from 'zod';
import { exampleIds } from '../examples.ts';
import { defineRead, ok } from '../operation.ts';
import { uuid } from '../schemas.ts';
import { existingSubscription, subscriptionSchema } from './schemas.ts';

export const infoWebhook = defineRead({
  path: '/webhooks.info',
  summary: 'Get a webhook subscription, without its key.',
  auth: 'core',
  feature: 'webhook',
  request: z.object({ id: uuid }),
  example: { id: exampleIds.webhook },
  responses: { 200: subscriptionSchema },
  errors: ['feature_disabled', 'not_found'],
  handle: ({ services }, { id }) => ok(existingSubscription(services, id)),
});

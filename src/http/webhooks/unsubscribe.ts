import { z } from 'zod';
import { exampleIds } from '../examples.ts';
import { defineOperation, ok } from '../operation.ts';
import { uuid } from '../schemas.ts';
import { subscriptionSchema } from './schemas.ts';

export const unsubscribeWebhook = defineOperation({
  path: '/webhooks.unsubscribe',
  summary: 'Send nothing more; subscribing again starts from then, or with resume from where it stood.',
  auth: 'core',
  feature: 'webhook',
  request: z.object({ id: uuid }),
  example: { id: exampleIds.webhook },
  responses: { 200: subscriptionSchema },
  errors: ['feature_disabled', 'not_found'],
  async handle({ commands }, { id }) {
    const { subscription } = await commands.send('webhook-subscription', id, 'webhook.unsubscribe', null);
    return ok(subscription);
  },
});

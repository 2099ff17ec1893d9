import { z } from 'zod';
import { exampleIds } from '../examples.ts';
import { defineOperation, empty } from '../operation.ts';
import { uuid } from '../schemas.ts';

export const deleteWebhook = defineOperation({
  path: '/webhooks.delete',
  summary: 'Remove a subscription with its deliveries and attempts.',
  auth: 'core',
  feature: 'webhook',
  request: z.object({ id: uuid }),
  example: { id: exampleIds.webhook },
  responses: { 204: null },
  errors: ['feature_disabled', 'not_found'],
  async handle({ commands }, { id }) {
    await commands.send('webhook-subscription', id, 'webhook.delete', null);
    return empty(204);
  },
});

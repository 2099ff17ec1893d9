import { z } from 'zod';
import { exampleIds } from '../examples.ts';
import { defineOperation, ok } from '../operation.ts';
import { uuid } from '../schemas.ts';
import { commandFields, subscriptionFields } from './fields.ts';
import { subscriptionSchema } from './schemas.ts';

export const updateWebhook = defineOperation({
  path: '/webhooks.update',
  summary: 'Change a subscription and subscribe it again; what is absent stays as it is, null clears.',
  auth: 'core',
  feature: 'webhook',
  request: z.object({ id: uuid, ...subscriptionFields, url: subscriptionFields.url.optional() }),
  example: { id: exampleIds.webhook, signature_key: 'the-next-key-of-ours', rotation_overlap: 3_600 },
  responses: { 200: subscriptionSchema },
  errors: ['feature_disabled', 'not_found'],
  async handle({ commands, services }, { id, ...fields }) {
    const body = { ...commandFields(fields), start: services.feed.end() };
    const { subscription } = await commands.send('webhook-subscription', id, 'webhook.update', body);
    return ok(subscription);
  },
});

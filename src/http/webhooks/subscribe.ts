import { z } from 'zod';
import { defineOperation, ok } from '../operation.ts';
import { uuid } from '../schemas.ts';
import { commandFields, subscriptionFields } from './fields.ts';
import { subscriptionSchema } from './schemas.ts';

export const subscribeWebhook = defineOperation({
  path: '/webhooks.subscribe',
  summary: 'Send events from now on to a URL; with an id, change that subscription and subscribe it again.',
  auth: 'core',
  feature: 'webhook',
  request: z.object({ id: uuid.optional(), ...subscriptionFields }),
  example: {
    url: 'https://crm.example/events',
    name: 'CRM',
    events: ['message.created', 'conversation.updated'],
    headers: { 'X-Team': 'support' },
    signature_key: 'a-key-that-only-we-know',
  },
  responses: { 200: subscriptionSchema },
  errors: ['feature_disabled', 'not_found'],
  async handle({ commands, services, newId }, { id, ...fields }) {
    const body = { ...commandFields(fields), start: services.feed.end() };
    const { subscription } =
      id === undefined
        ? await commands.send('webhook-subscription', newId(), 'webhook.subscribe', body)
        : await commands.send('webhook-subscription', id, 'webhook.update', body);
    return ok(subscription);
  },
});

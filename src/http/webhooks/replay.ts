import { z } from 'zod';
import { exampleIds } from '../examples.ts';
import { defineOperation, empty } from '../operation.ts';
import { uuid } from '../schemas.ts';

export const replayWebhook = defineOperation({
  path: '/webhooks.replay',
  summary: 'Send again: everything after a cursor, or one delivery.',
  auth: 'core',
  feature: 'webhook',
  request: z
    .object({
      id: uuid,
      after: z.string().min(1).optional().describe('Cursor of the last event that is not sent again.'),
      delivery_id: uuid.optional().describe('Its header webhook-id, or its id in /webhooks.deliveries.'),
    })
    .refine(
      ({ after, delivery_id }) => (after === undefined) !== (delivery_id === undefined),
      'needs exactly one of after and delivery_id',
    ),
  example: { id: exampleIds.webhook, delivery_id: exampleIds.delivery },
  responses: { 202: null },
  errors: ['feature_disabled', 'invalid_cursor', 'cursor_expired', 'not_found'],
  async handle({ commands, services }, { id, after, delivery_id }) {
    if (after !== undefined) {
      const cursor = services.feed.decodeCursor(after);
      await commands.send('webhook-subscription', id, 'webhook.replay-from', { cursor });
    } else if (delivery_id !== undefined) {
      await commands.send('webhook-subscription', id, 'webhook.replay-delivery', { deliveryId: delivery_id });
    }
    return empty(202);
  },
});

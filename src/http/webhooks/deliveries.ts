import { z } from 'zod';
import { exampleIds } from '../examples.ts';
import { defineRead, ok } from '../operation.ts';
import { pageBody, pageFields, pageSchema, pageQuery } from '../pagination.ts';
import { uuid } from '../schemas.ts';
import { deliverySchema, deliveryStatus, existingSubscription } from './schemas.ts';

const list = 'webhook-deliveries';

export const listWebhookDeliveries = defineRead({
  path: '/webhooks.deliveries',
  summary: 'List the deliveries of a subscription with every attempt, newest first.',
  auth: 'core',
  feature: 'webhook',
  request: z.object({ id: uuid, status: deliveryStatus.optional(), ...pageFields }),
  example: { id: exampleIds.webhook, status: 'dead', page_size: 100 },
  responses: { 200: pageSchema(deliverySchema) },
  errors: ['feature_disabled', 'invalid_cursor', 'not_found', 'query_too_slow'],
  async handle({ longReads, services }, { id, status, ...page }) {
    const query = pageQuery(list, page);
    existingSubscription(services, id);
    const filter = status === undefined ? {} : { status };
    return ok(pageBody(list, await longReads.webhookDeliveries(id, query, filter)));
  },
});

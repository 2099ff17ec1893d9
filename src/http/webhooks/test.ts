import { z } from 'zod';
import { exampleIds } from '../examples.ts';
import { defineOperation, ok } from '../operation.ts';
import { uuid } from '../schemas.ts';
import { attemptFields, unknownSubscription } from './schemas.ts';

export const testWebhook = defineOperation({
  path: '/webhooks.test',
  summary: 'Send a sample event now, signed like a real one, and answer with what the receiver said.',
  auth: 'core',
  feature: 'webhook',
  request: z.object({ id: uuid }),
  example: { id: exampleIds.webhook },
  responses: {
    200: z.object({ ...attemptFields, body: z.string().describe('The first 1 KiB of the answer.') }),
  },
  errors: ['feature_disabled', 'not_found'],
  async handle({ services }, { id }) {
    const attempt = await services.testWebhook(id);
    if (attempt === null) throw unknownSubscription(id);
    const { status, durationMs, answer, reason } = attempt;
    return ok({ status, duration_ms: durationMs, body: answer, reason });
  },
});

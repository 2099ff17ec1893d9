import { z } from 'zod';
import { Failure } from '#actors/errors.ts';
import type { WebhookSubscriptionJson } from '#actors/representation.ts';
import type { Services } from '#src/services.ts';

/** A subscription as it goes out: never with a key. */
export const subscriptionSchema = z
  .object({
    id: z.string(),
    name: z.string().optional(),
    url: z.string(),
    events: z.array(z.string()),
    headers: z.record(z.string(), z.string()),
    status: z.enum(['Subscribed', 'Unsubscribed']),
    state: z.string().describe('idle, delivering, backingOff, suspended or Unsubscribed.'),
    missed_events: z
      .int()
      .optional()
      .describe('Events that were no longer kept when their turn to be sent came; absent: none.'),
  })
  .meta({ id: 'WebhookSubscription' });

/** What one call to the receiver came to. */
export const attemptFields = {
  duration_ms: z.number(),
  status: z.int().nullable().describe('HTTP status; null without an answer.'),
  reason: z.string().nullable().describe('Why there was no answer; null with one.'),
};

export const deliveryStatus = z.enum(['delivered', 'scheduled', 'dead']);

export const deliverySchema = z
  .object({
    id: z.string().describe('The header webhook-id of every attempt.'),
    event: z.object({ type: z.string(), seq: z.int().nullable() }),
    status: deliveryStatus,
    attempts: z.array(
      z.object({ at: z.string(), ...attemptFields, answer: z.string().describe('The first 1 KiB of the answer.') }),
    ),
  })
  .meta({ id: 'WebhookDelivery' });

/** @throws Failure `not_found` */
export function existingSubscription({ store }: Services, id: string): WebhookSubscriptionJson {
  const subscription = store.webhooks.find(id);
  if (subscription === null) throw unknownSubscription(id);
  return subscription;
}

export const unknownSubscription = (id: string): Failure =>
  new Failure('not_found', `There is no webhook subscription ${id}.`);

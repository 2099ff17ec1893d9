import type { EventJson } from '#actors/representation.ts';
import { isoTime } from '#actors/representation.ts';
import type { FeedReader } from '#actors/journal/feed.ts';
import type { AttemptRecord, WebhookDeliveryReader } from '#actors/webhook-subscription/contract.ts';
import type { Clock, Ids } from '#actors/ports.ts';
import type { OutgoingClient } from '#src/outgoing/client.ts';
import { attemptDelivery } from './attempt.ts';
import { createSigner } from './signing.ts';

export interface SampleOptions {
  client: OutgoingClient;
  clock: Clock;
  ids: Ids;
  feed: FeedReader;
  subscriptions: WebhookDeliveryReader['subscriptions'];
}

/** Ids that no resource has. */
const madeUp = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;

/**
 * Makes `Services.testWebhook`: one call with a made-up event, signed as a delivery is, whatever the subscription's
 * status. Nothing of it is stored.
 */
export function sampleSender(options: SampleOptions): (id: string) => Promise<AttemptRecord | null> {
  const { clock, ids, feed, subscriptions } = options;
  return async (id) => {
    const now = clock.now();
    const work = subscriptions(now).find((subscription) => subscription.id === id);
    if (work === undefined) return null;
    const sample = sampleEvent(now, feed.encodeCursor(work.cursor));
    const { attempt } = await attemptDelivery(options, {
      url: work.url,
      id: ids.uuid(),
      body: JSON.stringify(sample),
      signer: createSigner(work.signatureKeys, work.headers),
    });
    return attempt;
  };
}

/** `seq` 0: real ones begin with 1. `cursor`: a receiver that keeps it misses and repeats nothing. */
function sampleEvent(now: number, cursor: string): EventJson {
  const message = {
    id: madeUp(3),
    content: { text: 'This is a test of your webhook.' },
    state: 'delivered',
    delivery_state: 'delivered',
    from_contact: true,
    sent_at: isoTime(now),
    source: 'webhook-test',
    metadata: {},
    sender: { id: 'webhook-test' },
  };
  const payload = { conversation_id: madeUp(1), channel_id: madeUp(2), message };
  const subject = { type: 'conversation', id: payload.conversation_id } as const;
  return { type: 'message.created', subject, payload, timestamp: now, seq: 0, cursor };
}

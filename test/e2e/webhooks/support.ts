import type { EventJson, WebhookDeliveryJson, WebhookSubscriptionJson } from '#actors/representation.ts';
import type { HubProcess } from '../../_support/hub-process.ts';
import type { SourceClient } from '../../_support/source-client.ts';

/** What `/webhooks.test` answers. */
export interface SampleAnswer {
  status: number | null;
  duration_ms: number;
  body: string;
  reason: string | null;
}

/** Calls `/webhooks.<verb>`. @throws Error with the answer when it is no 2xx */
export async function webhooks<T = WebhookSubscriptionJson>(hub: HubProcess, verb: string, body: object): Promise<T> {
  const answer = await hub.post<T>(`/webhooks.${verb}`, body);
  if (answer.status >= 300) throw new Error(`webhooks.${verb}: ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body;
}

/** The newest thousand deliveries of a subscription. */
export async function deliveriesOf(hub: HubProcess, id: string, status?: string): Promise<WebhookDeliveryJson[]> {
  const page = { id, page_size: 1_000, ...(status !== undefined && { status }) };
  return (await webhooks<{ data: WebhookDeliveryJson[] }>(hub, 'deliveries', page)).data;
}

/** Every event of one type that the hub has. */
export async function eventsOf(hub: HubProcess, type: string): Promise<EventJson[]> {
  const all: EventJson[] = [];
  let after: string | null = null;
  for (;;) {
    const question: object = { types: [type], page_size: 1_000, ...(after !== null && { after }) };
    const { body }: { body: { data: EventJson[]; next_cursor: string } } = await hub.post('/events.list', question);
    all.push(...body.data);
    if (body.data.length === 0) return all;
    after = body.next_cursor;
  }
}

/** Pushes messages `from` to `to` (exclusive), spread over the conversations, in one request. */
export function ingest(source: SourceClient, from: number, to: number, conversations: number) {
  const messages = Array.from({ length: to - from }, (_, i) => ({
    source_message_id: `m-${from + i}`,
    source_conversation_id: `contact-${(from + i) % conversations}`,
    source_channel_id: 'line',
    source_sender_id: `contact-${(from + i) % conversations}`,
    content: { text: `Nachricht ${from + i}: Grüße, 你好, 👋🏽` },
    from_contact: true,
    sent_at: 1_700_000_000_000 + from + i,
  }));
  return source.post('/sources.webhook', { messages });
}

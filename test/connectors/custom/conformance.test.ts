import { push } from '#src/connectors/custom/inbound.ts';
import { customConnector } from '#src/connectors/custom/connector.ts';
import type { Inbound } from '#src/ingest/items.ts';
import { conformance } from '../conformance.ts';

const token = 'token-of-the-shop';
const nothing = { source: 'shop', messages: [], metadata: [], receipts: [] };

const message = {
  source_message_id: 'm-1',
  source_conversation_id: 'ann',
  source_channel_id: 'line',
  source_sender_id: 'ann',
  content: { text: 'Hello', nested: [{ a: null }] },
  from_contact: true,
  sent_at: 1_767_225_600_000,
};
const item = {
  id: 'm-1',
  conversation: 'ann',
  channel: 'line',
  sender: 'ann',
  content: message.content,
  fromContact: true,
  sentAt: 1_767_225_600_000,
};

const reading = (title: string, body: object, said: Partial<Inbound>) => ({
  title,
  read: () => [push.parse('shop', push.request.parse(body))],
  inbound: [{ ...nothing, ...said }],
});

conformance('custom', {
  factory: customConnector,
  channel: {
    id: '018f0000-0000-5000-8000-000000000003',
    source: 'shop',
    source_id: 'shop',
    source_channel_id: 'line',
    metadata: { name: 'Line' },
    connected: true,
  },
  registered: { sourceId: 'shop', actionEndpoint: 'https://shop.example/action', token },
  token: null,
  content: { text: 'Hello "you"', nested: [{ a: null }] },
  onTheWire: '"content":{"text":"Hello \\"you\\"","nested":[{"a":null}]}',
  accepted: { status: 200, body: '{"source_message_id":"sent-1","metadata":{"a":1}}', sourceMessageId: 'sent-1' },
  refused: { status: 422, body: '{"error":"No such recipient."}', error: 'No such recipient.' },
  secrets: [token],
  readings: [
    reading('an empty push', {}, {}),
    reading('a message', { messages: [message] }, { messages: [item] }),
    reading(
      'text content, written on the side of the source',
      { messages: [{ ...message, content: 'Hello', from_contact: false, source_sender_id: 'desk' }] },
      { messages: [{ ...item, content: 'Hello', fromContact: false, sender: 'desk' }] },
    ),
    reading(
      'a time in ISO 8601',
      { messages: [{ ...message, sent_at: '2026-01-01T01:00:00+01:00' }] },
      { messages: [{ ...item, sentAt: Date.UTC(2026, 0, 1) }] },
    ),
    reading(
      'metadata of both namespaces, in order',
      {
        metadata: [
          { namespace: 'conversation', source_id: 'ann', metadata: { contact: { display_name: 'Ann' } } },
          { namespace: 'message', source_id: 'm-1', metadata: { source: { delivery_state: 'seen' } } },
        ],
      },
      {
        metadata: [
          { namespace: 'conversation', sourceId: 'ann', metadata: { contact: { display_name: 'Ann' } } },
          { namespace: 'message', sourceId: 'm-1', metadata: { source: { delivery_state: 'seen' } } },
        ],
      },
    ),
  ],
  genuine: [],
});

import { bizmapsConnector } from '#src/connectors/bizmaps/connector.ts';
import { conformance } from '../conformance.ts';
import { inboundIn } from '../specimen.ts';
import {
  accessToken,
  bizMapsConfig,
  context,
  envelope,
  granted,
  message,
  partnerKey,
  posted,
  privateKey,
} from './platform.ts';

const factory = () => bizmapsConnector(bizMapsConfig())!;
const read = (event: object) => () => inboundIn(factory().routes[0]!, posted({ ...envelope, ...event }));

const place = { channel: '2222', conversation: '3333' };
const nothing = { source: 'bizmaps', messages: [], metadata: [], receipts: [] };
const item = { id: '4444', ...place, sender: '3333', fromContact: true, sentAt: Date.UTC(2026, 0, 1) + 45 };
const receipts = [{ receiptType: 'READ', message: 'conversations/3333/messages/m-1' }];

conformance('bizmaps', {
  factory,
  channel: {
    id: '018f0000-0000-5000-8000-000000000003',
    source: 'bizmaps',
    source_channel_id: '2222',
    metadata: { name: 'Agent' },
    connected: true,
  },
  registered: null,
  token: null,
  letIn: { status: granted[0], body: JSON.stringify(granted[1]) },
  content: { text: 'Hello "you"', representative: { representativeType: 'BOT' }, fallback: '1' },
  onTheWire: '"text":"Hello \\"you\\"","representative":{"representativeType":"BOT"},"fallback":"1"',
  accepted: { status: 200, body: '{"name":"conversations/3333/messages/m-1"}', sourceMessageId: 'm-1' },
  refused: {
    status: 400,
    body: '{"error":{"code":400,"message":"Message is too long.","status":"INVALID_ARGUMENT"}}',
    error: 'Message is too long.',
  },
  secrets: [accessToken, partnerKey, privateKey],
  readings: [
    {
      title: 'a message',
      read: read({ message, context }),
      inbound: [
        {
          ...nothing,
          messages: [{ ...item, content: message }],
          metadata: [
            {
              ...{ namespace: 'conversation', sourceId: '3333', channel: '2222' },
              metadata: { contact: { display_name: 'Ann' } },
            },
          ],
        },
      ],
    },
    {
      title: 'a receipt',
      read: read({ receipts: { receipts, createTime: message.createTime } }),
      inbound: [{ ...nothing, receipts: [{ message: 'm-1', state: 'read' }] }],
    },
  ],
  genuine: [
    posted({ ...envelope, message, context }),
    posted({ ...envelope, suggestionResponse: { message: message.name, postbackData: 'a', text: 'A', type: 'REPLY' } }),
    posted({ ...envelope, receipts: { receipts } }),
    posted({ ...envelope, userStatus: { isTyping: true, createTime: message.createTime } }),
    posted({ ...envelope, authenticationResponse: { code: 'c', redirectUri: 'https://a.example' } }),
  ],
});

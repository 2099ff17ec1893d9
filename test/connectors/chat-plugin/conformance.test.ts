import { chatPluginConnector } from '#src/connectors/chat-plugin/connector.ts';
import { visits } from '#src/connectors/chat-plugin/visits.ts';
import { testConfig } from '../../_support/config.ts';
import { conformance } from '../conformance.ts';

const visit = { sourceChannelId: 'shop', sourceConversationId: 'visitor-1' };
const now = 1_767_225_600_000;
const item = {
  ...{ conversation: 'visitor-1', channel: 'shop', sender: 'visitor-1' },
  ...{ content: { text: 'Hello', nested: [{ a: null }] }, fromContact: true, sentAt: now },
};

const reading = (title: string, body: object, id: string) => ({
  title,
  read: () => [visits.parse(visit, visits.request.parse(body), 'given-by-the-hub', now)],
  inbound: [{ source: 'chatplugin', messages: [{ ...item, id }], metadata: [], receipts: [] }],
});

conformance('chat-plugin', {
  factory: () => chatPluginConnector(testConfig())!,
  channel: {
    id: '018f0000-0000-5000-8000-000000000003',
    source: 'chatplugin',
    source_channel_id: 'shop',
    metadata: { name: 'shop' },
    connected: true,
  },
  secrets: [],
  readings: [
    reading('a message that its client names', { message: item.content, source_message_id: 'm-1' }, 'm-1'),
    reading('a message without a name', { message: item.content }, 'given-by-the-hub'),
  ],
  genuine: [],
});

import { createConnectors } from '#src/connectors/registry.ts';
import { telcoConnector } from '#src/connectors/telco/connector.ts';
import { timeUnknown } from '#src/ingest/items.ts';
import { conformance } from '../conformance.ts';
import { inboundIn, type Specimen } from '../specimen.ts';
import { authToken, chat, chatStatus, credential, type Form, posted, sms, smsStatus, telcoConfig } from './platform.ts';

const factory = () => telcoConnector(telcoConfig())!;
const read = (form: Form) => () => inboundIn(createConnectors(telcoConfig(), [factory]).routes[0]!, posted(form));

const place = { channel: '+4930123456', conversation: '+491701234567' };
const item = { id: 'SM1', ...place, sender: place.conversation, fromContact: true, sentAt: timeUnknown };
const nothing = { messages: [], metadata: [], receipts: [] };

const textMessages: Specimen = {
  factory,
  channel: {
    id: '018f0000-0000-5000-8000-000000000003',
    source: 'telco.sms',
    source_channel_id: '+4930123456',
    metadata: { name: 'Line' },
    connected: true,
  },
  registered: null,
  token: null,
  content: { text: 'Hello "you" & me + 1' },
  onTheWire: '&Body=Hello+%22you%22+%26+me+%2B+1&',
  accepted: { status: 201, body: '{"sid":"SM2","status":"queued"}', sourceMessageId: 'SM2' },
  refused: {
    status: 400,
    body: '{"code":21211,"message":"Invalid \'To\' Phone Number","status":400}',
    error: "Invalid 'To' Phone Number (21211)",
  },
  secrets: [authToken, credential],
  readings: [
    {
      title: 'a text message',
      read: read(sms),
      inbound: [{ ...nothing, source: 'telco.sms', messages: [{ ...item, content: sms }] }],
    },
    {
      title: 'a receipt',
      read: read(smsStatus),
      inbound: [{ ...nothing, source: 'telco.sms', receipts: [{ message: 'SM2', state: 'delivered' }] }],
    },
  ],
  genuine: [posted(sms), posted(chat), posted(smsStatus), posted(chatStatus)],
};

conformance('telco', textMessages);
conformance('telco', {
  ...textMessages,
  channel: { ...textMessages.channel, source: 'telco.cloudmsg', source_channel_id: 'cloudmsg:+4930123456' },
});

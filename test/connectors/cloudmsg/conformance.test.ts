import { channelId } from '#actors/ids.ts';
import { conformance } from '../conformance.ts';
import { appSecret, posted, shaken, token, verifyToken } from '../graph/platform.ts';
import { cases, connector, number, route, saying, update } from './cases.ts';

conformance('cloudmsg', {
  factory: connector,
  channel: {
    ...{ id: channelId('cloudmsg', number), source: 'cloudmsg', source_channel_id: number },
    ...{ metadata: { name: 'Number' }, connected: true },
  },
  registered: null,
  token,
  content: { type: 'text', text: { body: 'Hello', preview_url: false } },
  onTheWire: '"type":"text","text":{"body":"Hello","preview_url":false}',
  accepted: {
    status: 200,
    body: '{"messaging_product":"whatsapp","contacts":[{"input":"ann","wa_id":"ann"}],"messages":[{"id":"wamid.1"}]}',
    sourceMessageId: 'wamid.1',
  },
  refused: {
    status: 400,
    body: '{"error":{"message":"(#131047) Re-engagement message","code":131047,"error_data":{"details":"More than 24 hours have passed."}}}',
    error: '(#131047) Re-engagement message: More than 24 hours have passed.',
  },
  secrets: [token, appSecret, verifyToken],
  readings: cases.map(([title, value, said]) => ({
    ...{ title, read: () => [route().read(JSON.stringify(update(value)))!], inbound: [saying(said)] },
  })),
  genuine: [
    shaken('/cloudmsg'),
    await posted('/cloudmsg', update(...cases.slice(0, 3).map(([, value]) => value))),
    ...(await Promise.all(cases.map(([, value]) => posted('/cloudmsg', update(value))))),
  ],
});

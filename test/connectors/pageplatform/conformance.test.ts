import { channelId } from '#actors/ids.ts';
import { conformance } from '../conformance.ts';
import { appSecret, posted, shaken, token, verifyToken } from '../graph/platform.ts';
import { contact, page, pageCases } from './page-cases.ts';
import { photoCases } from './photo-cases.ts';
import { connector, ofPage, ofPhotos, routeAt, saying } from './updates.ts';

const read = (content: object) => () => [routeAt('/pageplatform').read(JSON.stringify(content))!];

conformance('pageplatform', {
  factory: connector,
  channel: {
    ...{ id: channelId('pageplatform', page), source: 'pageplatform', source_channel_id: page },
    ...{ metadata: { name: 'Page' }, connected: true },
  },
  registered: null,
  token,
  content: { text: 'Hello', quick_replies: [{ content_type: 'text', title: 'A' }], n: 1 },
  onTheWire: '"message":{"text":"Hello","quick_replies":[{"content_type":"text","title":"A"}],"n":1}',
  accepted: { status: 200, body: `{"recipient_id":"${contact}","message_id":"m_sent"}`, sourceMessageId: 'm_sent' },
  refused: {
    status: 400,
    body: `{"error":{"message":"Error validating access token ${token}: it has expired.","type":"OAuthException","code":190}}`,
    error: 'Error validating access token [redacted]: it has expired.',
  },
  secrets: [token, appSecret, verifyToken],
  readings: [
    ...pageCases.map(([title, event, said]) => ({
      ...{ title: `a page: ${title}`, read: read(ofPage(event)), inbound: [saying('pageplatform', said)] },
    })),
    ...photoCases.map(([title, event, said]) => ({
      ...{ title: `photos: ${title}`, read: read(ofPhotos(event)), inbound: [saying('photoplatform', said)] },
    })),
  ],
  genuine: [
    ...['/pageplatform', '/photoplatform'].map((path) => shaken(path)),
    await posted('/pageplatform', ofPage(...pageCases.slice(0, 3).map(([, event]) => event))),
    ...(await Promise.all(pageCases.map(([, event]) => posted('/pageplatform', ofPage(event))))),
    ...(await Promise.all(photoCases.map(([, event]) => posted('/photoplatform', ofPhotos(event))))),
  ],
});

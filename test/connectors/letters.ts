import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Json } from '#actors/representation.ts';
import type { Connector, InboundRoute, RawRequest } from '#src/connectors/connector.ts';
import { objectIn, outcomeOf } from '#src/connectors/outcome.ts';
import type { Inbound } from '#src/ingest/items.ts';

/** What the platform of the tests and the hub both know. */
export const secret = 'a-secret-of-letters';
export const letterLimit = 2 * 1024 * 1024;

/** A letter as the platform writes it. */
interface Letter {
  id: string;
  box: string;
  from: string;
  text: Json;
  at: number;
}

export const signatureOf = (body: Uint8Array | string): string =>
  createHmac('sha256', secret).update(body).digest('hex');

function isSigned({ headers, body }: RawRequest): boolean {
  const given = Buffer.from(String(headers['x-letters-signature']));
  const wanted = Buffer.from(signatureOf(body));
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}

/** A platform asks once whether the address is the hub's. */
const handshake: InboundRoute = {
  method: 'GET',
  path: '/letters',
  bodyLimit: 0,
  verify: ({ url }) => url.searchParams.get('token') === secret,
  parse: ({ url }) => ({
    inbound: [],
    answer: { contentType: 'text/plain', body: url.searchParams.get('challenge') ?? '' },
  }),
};

const letters: InboundRoute = {
  method: 'POST',
  path: '/letters',
  bodyLimit: letterLimit,
  verify: isSigned,
  parse({ body }) {
    const { post, receipts } = objectIn(Buffer.from(body).toString());
    if (!Array.isArray(post) && !Array.isArray(receipts)) return null;
    const inbound: Inbound = {
      source: 'letters',
      messages: ((post ?? []) as Letter[]).map(({ id, box, from, text, at }) => ({
        ...{ id, channel: box, conversation: from, sender: from, content: text },
        ...{ fromContact: true, sentAt: at },
      })),
      metadata: [],
      receipts: ((receipts ?? []) as { of: string; state: string }[]).map(({ of, state }) => ({ message: of, state })),
    };
    return { inbound: [inbound] };
  },
};

/** A whole connector for a platform that exists only in tests: two routes, calls with a secret, may write first. */
export const lettersConnector = (): Connector => ({
  name: 'letters',
  sources: ['letters', 'letters.air'],
  routes: [handshake, letters],
  async deliver({ message, conversation }, { http, now }) {
    const result = await http.post({
      url: 'https://letters.example/send',
      headers: { Authorization: `Bearer ${secret}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ to: conversation.sourceConversationId, text: message.content }),
    });
    return outcomeOf(result, now(), {
      endpoint: 'The post office',
      accepted(body) {
        const { number } = objectIn(body);
        return { kind: 'succeeded', sourceMessageId: typeof number === 'string' ? number : null, metadata: {} };
      },
      errorOf(body) {
        const { problem } = objectIn(body);
        return typeof problem === 'string' && problem !== '' ? problem : null;
      },
    });
  },
  starter: { conversationWith: (recipient) => recipient.replaceAll(' ', '') },
});

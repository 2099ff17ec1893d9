import { createHmac, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import type { Json } from '#actors/representation.ts';
import type { Connector, InboundRoute, RawRequest, Deliver } from '#src/connectors/connector.ts';
import { objectIn, outcomeOf } from '#src/connectors/outcome.ts';
import { foreignId, json } from '#src/ingest/fields.ts';

/** What the platform of the tests and the hub both know. */
export const secret = 'a-secret-of-letters';
export const letterLimit = 2 * 1024 * 1024;

const firstLetter = Date.UTC(2000, 0, 1);
const lastLetter = Date.UTC(2100, 0, 1);

/** A letter as the platform writes it. */
const letter = z.object({
  ...{ id: foreignId, box: foreignId, from: foreignId, text: json },
  at: z.int().min(firstLetter).max(lastLetter),
});
const place = { channel: foreignId, conversation: foreignId };
const signal = z.discriminatedUnion('kind', [
  z.object({ ...place, kind: z.literal('typing'), typing: z.boolean() }),
  z.object({ ...place, kind: z.literal('reached'), state: z.string().min(1), until: z.int() }),
  z.object({ ...place, kind: z.literal('agent-requested') }),
]);
const receipt = z.object({ of: foreignId, state: z.string().min(1) });

/** What can be read of a list: an item that is spoilt holds up no other. */
const readable = <T>(list: unknown, item: z.ZodType<T>): T[] =>
  (Array.isArray(list) ? list : []).flatMap((one) => item.safeParse(one).data ?? []);

function isSame(given: string, wanted: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(wanted)];
  return a.length === b.length && timingSafeEqual(a, b);
}

export const signatureOf = (body: Uint8Array | string): string =>
  createHmac('sha256', secret).update(body).digest('hex');

const isSigned = ({ headers, body }: RawRequest): boolean =>
  isSame(String(headers['x-letters-signature']), signatureOf(body));

/** A platform asks once whether the address is the hub's. */
const handshake: InboundRoute = {
  method: 'GET',
  path: '/letters',
  bodyLimit: 0,
  verify: ({ url }) => isSame(url.searchParams.get('token') ?? '', secret),
  split: () => [],
  read: () => null,
  answer: ({ url }) => ({ contentType: 'text/plain', body: url.searchParams.get('challenge') ?? '' }),
};

const letters: InboundRoute = {
  method: 'POST',
  path: '/letters',
  bodyLimit: letterLimit,
  verify: isSigned,
  split({ body }) {
    const text = Buffer.from(body).toString();
    const parts = Object.entries(objectIn(text)).flatMap(([kind, list]) =>
      (Array.isArray(list) ? list : []).map((one) => JSON.stringify({ [kind]: [one] })),
    );
    return parts.length > 0 ? parts : [text];
  },
  read(update) {
    const { post, receipts, signals } = objectIn(update);
    if (![post, receipts, signals].some(Array.isArray)) return null;
    return {
      source: 'letters',
      messages: readable(post, letter).map(({ id, box, from, text, at }) => ({
        ...{ id, channel: box, conversation: from, sender: from, content: text as Json },
        ...{ fromContact: true, sentAt: at },
      })),
      metadata: [],
      receipts: readable(receipts, receipt).map(({ of, state }) => ({ message: of, state })),
      ...(Array.isArray(signals) && { signals: readable(signals, signal) }),
    };
  },
};

/** A whole connector for a platform that exists only in tests: two routes, calls with a secret, may write first. */
export const lettersConnector = (): Connector & { deliver: Deliver } => ({
  name: 'letters',
  sources: ['letters', 'letters.air'],
  routes: [handshake, letters],
  async deliver({ message, conversation }, { http, now }) {
    const result = await http.send({
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
  checker: {
    async check({ http }) {
      const result = await http.send({
        url: 'https://letters.example/whoami',
        headers: { Authorization: `Bearer ${secret}` },
        body: '',
      });
      const isLetIn = result.kind === 'answered' && result.status === 200;
      return isLetIn ? null : 'The post office does not let the hub in.';
    },
  },
  starter: { conversationWith: (recipient) => recipient.replaceAll(' ', '') },
});

import { describe, expect, it } from 'vitest';
import type { TestApi } from '../../_support/api.ts';
import { until } from '../../_support/source-client.ts';
import { onlyConversation, type Shown, startWith, tell } from '../graph/circle.ts';
import { contact, number, update } from './cases.ts';

let sent = 0;
const answers = {
  'GET /oauth/access_token': { access_token: 'lasting' },
  [`GET /${number}`]: { id: number, display_phone_number: '+1 555', verified_name: 'Shop' },
  get [`POST /${number}/messages`]() {
    return { messages: [{ id: `wamid.sent-${sent++}` }] };
  },
};

/** A hub with the number connected. */
async function start() {
  const hub = await startWith(answers);
  await hub.api.post('/channels.cloudmsg.connect', { phone_number_id: number, user_token: 'given', name: 'Shop' });
  return hub;
}

const hello = (api: TestApi, id: string, more: object = {}) => ({
  ...{ from: contact, id, timestamp: String(Math.floor(api.system.clock.now() / 1_000)) },
  ...{ type: 'text', text: { body: id }, ...more },
});

/** All messages of a conversation. */
const messagesOf = async (api: TestApi, conversation_id: string): Promise<Shown[]> =>
  (await api.post<{ data: Shown[] }>('/messages.list', { conversation_id, page_size: 100 })).body.data;

/** The same things in an order that looks like chance, and is always the same. */
function shuffled<T>(things: readonly T[]): T[] {
  let state = 1;
  const next = () => (state = (state * 48_271) % 2_147_483_647);
  return things
    .map((thing) => [next(), thing] as const)
    .sort(([a], [b]) => a - b)
    .map(([, thing]) => thing);
}

describe('a thousand', () => {
  it('equal webhooks at once, between others, are one message', { timeout: 60_000 }, async () => {
    await using hub = await start();
    const { api } = hub;
    const [first, second] = [hello(api, 'wamid.1'), hello(api, 'wamid.2')];
    const batches = [[first], [first], [second, first], [first, second]];
    const webhooks = Array.from({ length: 1_000 }, (_, n) => update({ messages: batches[n % batches.length]! }));
    await Promise.all(webhooks.map((webhook) => tell(api, '/cloudmsg', webhook)));
    const stored = await messagesOf(api, (await onlyConversation(api)).id);
    expect(stored.map(({ content }) => (content as { id: string }).id).sort()).toEqual(['wamid.1', 'wamid.2']);
  });

  it('orders of receipts, each with repetitions, end alike', { timeout: 120_000 }, async () => {
    await using hub = await start();
    const { api } = hub;
    const contacts = Array.from({ length: 25 }, (_, n) => `1650555${1_000 + n}`);
    await tell(api, '/cloudmsg', update({ messages: contacts.map((from) => hello(api, `wamid.${from}`, { from })) }));
    const { body } = await api.post<{ data: { id: string }[] }>('/conversations.list', { page_size: 50 });
    const message = { type: 'text', text: { body: 'Hi' } };
    for (const { id: conversation_id } of body.data) {
      const send = () => api.post('/messages.send', { conversation_id, message });
      await Promise.all(Array.from({ length: 40 }, send));
    }
    const own = async () => {
      const pages = await Promise.all(body.data.map(({ id }) => messagesOf(api, id)));
      return pages.flat().filter(({ from_contact }) => !from_contact);
    };
    await until('delivered', async () => {
      api.system.clock.advance(1_000);
      return (await own()).every(({ state }) => state === 'delivered');
    });
    const ids = (await own()).map(({ metadata }) => (metadata['source'] as { id: string }).id);
    expect(new Set(ids).size).toBe(1_000);
    const states = ['sent', 'delivered', 'read', 'delivered', 'sent'];
    const statuses = ids.flatMap((id) => states.map((status) => ({ id, status, recipient_id: contact })));
    const all = shuffled(statuses);
    for (let n = 0; n < all.length; n += 500) {
      await tell(api, '/cloudmsg', update({ statuses: all.slice(n, n + 500) }));
    }
    const ends = (await own()).map(({ metadata }) => (metadata['source'] as { delivery_state: string }).delivery_state);
    expect(new Set(ends)).toEqual(new Set(['read']));
  });

  it('updates of 3 MB in one request are stored, each once', { timeout: 60_000 }, async () => {
    await using hub = await start();
    const { api } = hub;
    const from = (n: number) => `1650555${1_000 + (n % 50)}`;
    const messages = Array.from({ length: 1_000 }, (_, n) =>
      hello(api, `wamid.${n}`, { from: from(n), text: { body: 'x'.repeat(3_000) } }),
    );
    await tell(api, '/cloudmsg', update({ messages }));
    const { body } = await api.post<{ data: { id: string }[] }>('/conversations.list', { page_size: 100 });
    const stored = (await Promise.all(body.data.map(({ id }) => messagesOf(api, id)))).flat();
    expect(new Set(stored.map(({ content }) => (content as { id: string }).id)).size).toBe(1_000);
    expect(stored).toHaveLength(1_000);
  });
});

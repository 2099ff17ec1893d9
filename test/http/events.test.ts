import { describe, expect, it } from 'vitest';
import { exampleIds } from '#src/http/examples.ts';
import { refusalOf, startApi } from '../_support/api.ts';

interface Events {
  data: { type: string; subject: object; seq: number; cursor: string; payload: { conversation_id?: string } }[];
  next_cursor: string;
}

/** A hub in which Ann and Bob wrote one message each. */
async function start() {
  const api = await startApi();
  const shop = await api.addSource('shop');
  const [ann, bob] = [await shop.push('ann', 'one'), await shop.push('bob', 'two')];
  const list = async (body: object = {}): Promise<Events> => (await api.post<Events>('/events.list', body)).body;
  return { api, shop, ann, bob, list, [Symbol.asyncDispose]: () => api[Symbol.asyncDispose]() };
}

type Hub = Awaited<ReturnType<typeof start>>;

const typesOf = ({ data }: Events): string[] => data.map(({ type }) => type);

describe('/events.list', () => {
  it('gives every event once, in pages', async () => {
    await using hub = await start();
    const whole = (await hub.list()).data;
    const seen: Events['data'] = [];
    for (let after = ''; seen.length < whole.length; ) {
      const { data, next_cursor } = await hub.list({ after, page_size: 2 });
      expect(data.length).toBeGreaterThan(0);
      expect(next_cursor).toBe(data.at(-1)!.cursor);
      seen.push(...data);
      after = next_cursor;
    }
    expect(seen).toEqual(whole);
  });

  it('gives less than was asked for where it is large', async () => {
    await using hub = await start();
    const messages = ['x', 'y', 'z'].map((letter) => ({
      ...{ source_message_id: letter, source_conversation_id: 'ann', source_channel_id: 'line' },
      ...{
        source_sender_id: 'ann',
        content: letter.repeat(300_000),
        from_contact: true,
        sent_at: Date.UTC(2026, 0, 1),
      },
    }));
    await hub.api.post('/sources.webhook', { messages }, hub.shop.authorization);
    const pages: number[][] = [];
    for (let after = ''; pages.at(-1)?.length !== 0; ) {
      const { data, next_cursor } = await hub.list({ after, conversation_id: hub.ann, page_size: 100 });
      pages.push(data.map(({ seq }) => seq));
      after = next_cursor;
    }
    expect(pages).toEqual([[1, 2, 3, 4, 5], [6], []]);
  });

  it('goes on after a cursor, and stays there until more comes', async () => {
    await using hub = await start();
    const { next_cursor } = await hub.list();
    expect(await hub.list({ after: next_cursor })).toEqual({ data: [], next_cursor });
    await hub.shop.push('ann', 'three');
    expect(typesOf(await hub.list({ after: next_cursor }))).toEqual(['message.created', 'conversation.updated']);
  });

  it('gives those of some types, or of one conversation', async () => {
    await using hub = await start();
    expect(typesOf(await hub.list({ types: ['channel.updated'] }))).toEqual(['channel.updated']);
    const of = await hub.list({ conversation_id: hub.bob });
    expect(of.data.map(({ seq }) => seq)).toEqual(of.data.map((_, n) => n + 1));
    expect(of.data[0]).toMatchObject({
      type: 'message.created',
      subject: { type: 'conversation', id: hub.bob },
      payload: { conversation_id: hub.bob },
    });
  });

  it.each([
    ['of a type that there is none of', () => ({ types: ['webhook.updated'] })],
    ['of one conversation', ({ ann }: Hub) => ({ conversation_id: ann })],
    ['of a conversation that there is not', () => ({ conversation_id: exampleIds.conversation })],
  ])('leaves behind what is none %s', async (_, filter) => {
    await using hub = await start();
    const end = (await hub.list()).next_cursor;
    expect((await hub.list(filter(hub))).next_cursor).toBe(end);
    await hub.shop.push('cid', 'three');
    const later = await hub.list({ ...filter(hub), after: end });
    expect(later).toEqual({ data: [], next_cursor: (await hub.list()).next_cursor });
  });

  it('goes no further than a full page', async () => {
    await using hub = await start();
    const types = ['message.created'];
    const { data, next_cursor } = await hub.list({ types, page_size: 1 });
    expect(next_cursor).toBe(data[0]!.cursor);
    expect((await hub.list({ types, after: next_cursor })).data).toHaveLength(1);
  });

  it.each([
    [{ after: 'x' }, 'invalid_cursor'],
    [{ types: ['typing'] }, 'invalid_request'],
    [{ types: [] }, 'invalid_request'],
    [{ page_size: 0 }, 'invalid_request'],
  ])('refuses %j', async (body, code) => {
    await using hub = await start();
    expect(refusalOf(await hub.api.post('/events.list', body))).toEqual([400, code]);
  });

  it.each(['/events.list', '/conversations.list', '/webhooks.replay'])(
    '%s knows no cursor of any length',
    async (path) => {
      await using hub = await start();
      const cursor = 'x'.repeat(5_000);
      const answer = await hub.api.post(path, { id: exampleIds.webhook, after: cursor, cursor });
      expect(refusalOf(answer)).toEqual([400, 'invalid_cursor']);
    },
  );
});

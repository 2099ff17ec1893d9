import { describe, expect, it } from 'vitest';
import { refusalOf, startApi } from '../_support/api.ts';

const unknown = '0192f3a4-5b6c-7d8e-9f01-23456789abce';

interface Conversation {
  id: string;
  unread_count: number;
  channel: { id: string };
  last_message?: { content: unknown };
  metadata: Record<string, unknown> & { contact: object };
}

interface Page {
  data: Conversation[];
  pagination_data: { previous_cursor: string | null; next_cursor: string | null; total: number };
}

/** A hub in which Ann, then Bob, then Cy wrote; Ann twice. */
async function start() {
  const api = await startApi();
  const shop = await api.addSource('shop');
  const ann = await shop.push('ann', 'one', 'two');
  const [bob, cy] = [await shop.push('bob', 'three'), await shop.push('cy', 'four')];
  const list = async (body: object = {}): Promise<Page> => (await api.post<Page>('/conversations.list', body)).body;
  const info = async (conversation_id: string): Promise<Conversation> =>
    (await api.post<Conversation>('/conversations.info', { conversation_id })).body;
  return { api, shop, ann, bob, cy, list, info, [Symbol.asyncDispose]: () => api[Symbol.asyncDispose]() };
}

const idsOf = ({ data }: Page): string[] => data.map(({ id }) => id);

describe('/conversations.list', () => {
  it('gives the one with the newest message first', async () => {
    await using hub = await start();
    expect(idsOf(await hub.list())).toEqual([hub.cy, hub.bob, hub.ann]);
    await hub.shop.push('ann', 'five');
    expect(idsOf(await hub.list())).toEqual([hub.ann, hub.cy, hub.bob]);
  });

  it('walks there and back in pages', async () => {
    await using hub = await start();
    const first = await hub.list({ page_size: 2 });
    const second = await hub.list({ page_size: 2, cursor: first.pagination_data.next_cursor });
    expect([idsOf(first), idsOf(second)]).toEqual([[hub.cy, hub.bob], [hub.ann]]);
    expect(second.pagination_data).toMatchObject({ next_cursor: null, total: 3 });
    const back = await hub.list({ page_size: 2, cursor: second.pagination_data.previous_cursor });
    expect(idsOf(back)).toEqual([hub.cy, hub.bob]);
  });

  it('gives those that a filter leaves, and counts them', async () => {
    await using hub = await start();
    const page = await hub.list({ filters: 'unread_count:[2 TO *] AND source:shop' });
    expect([idsOf(page), page.pagination_data.total]).toEqual([[hub.ann], 1]);
    expect(idsOf(await hub.list({ filters: `NOT id:${hub.ann}`, page_size: 1 }))).toEqual([hub.cy]);
    for (const filters of ['', ' ', null]) expect((await hub.list({ filters })).pagination_data.total).toBe(3);
  });

  it.each([
    ['unread_count:many', 14],
    ['colour:red', 1],
    ['(source:shop', 1],
    ['source:', 8],
  ])('refuses the filter %s with the position', async (filters, position) => {
    await using hub = await start();
    const answer = await hub.api.post('/conversations.list', { filters });
    expect(refusalOf(answer)).toEqual([400, 'invalid_filter']);
    expect(answer.body.details).toEqual([
      { path: 'filters', problem: expect.stringMatching(new RegExp(` at position ${position}$`)) },
    ]);
  });

  it('refuses a cursor that it has not given', async () => {
    await using hub = await start();
    expect(refusalOf(await hub.api.post('/conversations.list', { cursor: 'x' }))).toEqual([400, 'invalid_cursor']);
  });
});

describe('/conversations.info', () => {
  it('gives the conversation as the list does', async () => {
    await using hub = await start();
    const conversation = await hub.info(hub.ann);
    expect(conversation).toEqual((await hub.list()).data.at(-1));
    expect(conversation).toMatchObject({
      ...{ id: hub.ann, created_at: '2026-01-01T00:00:00.000Z', unread_count: 2 },
      channel: { id: hub.shop.channel },
      last_message: { content: { text: 'two' } },
      metadata: { unread_count: 2, contact: { display_name: `Shop ${hub.ann.slice(-5)}` } },
    });
  });
});

describe('what changes a conversation', () => {
  it.each(['/conversations.mark-read', '/conversations.markRead'])('%s leaves nothing unread', async (path) => {
    await using hub = await start();
    const { status, body } = await hub.api.post(path, { conversation_id: hub.ann });
    expect([status, body]).toEqual([204, null]);
    expect([(await hub.info(hub.ann)).unread_count, (await hub.info(hub.bob)).unread_count]).toEqual([0, 1]);
    expect((await hub.api.post(path, { conversation_id: hub.ann })).status).toBe(204);
  });

  it('is marked as open or closed, or not at all', async () => {
    await using hub = await start();
    const conversation_id = hub.ann;
    for (const state of ['OPEN', 'CLOSED', 'CLOSED']) {
      expect((await hub.api.post('/conversations.set-state', { conversation_id, state })).status).toBe(204);
      expect((await hub.info(hub.ann)).metadata).toMatchObject({ state });
    }
    expect((await hub.api.post('/conversations.remove-state', { conversation_id })).status).toBe(204);
    expect((await hub.info(hub.ann)).metadata).not.toHaveProperty('state');
    expect((await hub.api.post('/conversations.removeState', { conversation_id })).status).toBe(204);
  });

  it.each(['open', '', null, 7])('refuses the state %j', async (state) => {
    await using hub = await start();
    const answer = await hub.api.post('/conversations.setState', { conversation_id: hub.ann, state });
    expect([...refusalOf(answer), answer.body.details?.[0]?.path]).toEqual([400, 'invalid_request', 'state']);
  });

  it.each(['/conversations.update-contact', '/conversations.updateContact'])('%s names the contact', async (path) => {
    await using hub = await start();
    const renamed = await hub.api.post(path, { conversation_id: hub.ann, display_name: 'Ann Smith' });
    expect(renamed.status).toBe(204);
    expect((await hub.info(hub.ann)).metadata.contact).toEqual({ displayName: 'Ann Smith', display_name: 'Ann Smith' });
    expect(idsOf(await hub.list({ filters: 'display_name:smith' }))).toEqual([hub.ann]);
  });

  it('has its own name again when the agent’s is removed', async () => {
    await using hub = await start();
    for (const display_name of ['Ann Smith', '']) {
      const answer = await hub.api.post('/conversations.update-contact', { conversation_id: hub.ann, display_name });
      expect(answer.status).toBe(204);
    }
    expect((await hub.info(hub.ann)).metadata.contact).toMatchObject({ display_name: `Shop ${hub.ann.slice(-5)}` });
  });

  it.each(['x'.repeat(256), 7])('refuses the name %j', async (display_name) => {
    await using hub = await start();
    const answer = await hub.api.post('/conversations.update-contact', { conversation_id: hub.ann, display_name });
    expect(refusalOf(answer)).toEqual([400, 'invalid_request']);
  });
});

describe('a conversation that is not there', () => {
  it.each([
    ['info', {}],
    ['mark-read', {}],
    ['set-state', { state: 'OPEN' }],
    ['remove-state', {}],
    ['update-contact', { display_name: 'Ann' }],
  ])('gives 404 to %s', async (verb, fields) => {
    await using hub = await start();
    const answer = await hub.api.post(`/conversations.${verb}`, { conversation_id: unknown, ...fields });
    expect(refusalOf(answer)).toEqual([404, 'not_found']);
  });
});

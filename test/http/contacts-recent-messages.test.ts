import { describe, expect, it } from 'vitest';
import { contactOfConversation } from '#actors/ids.ts';
import { refusalOf } from '../_support/api.ts';
import { until } from '../_support/source-client.ts';
import { type Contact, type Page, startDispatching, unknown } from './contact-support.ts';

describe('/contacts.recent-messages', () => {
  interface Recent {
    [conversation: string]: Page & { source: string };
  }

  /** A contact with conversations on two sources: Ann at the shop, and at the desk. */
  async function start(texts: { shop: string[]; desk: string[] }) {
    const api = await startDispatching();
    const shop = await (await api.addSource('shop')).push('ann', ...texts.shop);
    const desk = await (await api.addSource('desk')).push('ann', ...texts.desk);
    const found = async (id: string) => (await api.post('/contacts.info', { conversation_id: id })).status === 200;
    await until('the contacts', async () => (await found(shop)) && (await found(desk)));
    const ids = { source_id: contactOfConversation(shop), destination_id: contactOfConversation(desk) };
    const contact_id = (await api.post<Contact>('/contacts.merge', ids)).body.id;
    const recent = async (more: object = {}): Promise<Recent> =>
      (await api.post<Recent>('/contacts.recent-messages', { contact_id, ...more })).body;
    return { api, shop, desk, recent, contact_id, [Symbol.asyncDispose]: () => api[Symbol.asyncDispose]() };
  }

  const textsOf = ({ data }: Page): string[] => data.map(({ content }) => (content as { text: string }).text);

  it('gives the newest of each conversation', async () => {
    await using hub = await start({ shop: ['1', '2', '3'], desk: ['4'] });
    const { [hub.shop]: shop, [hub.desk]: desk, ...others } = await hub.recent({ page_size: 2 });
    expect(others).toEqual({});
    expect([shop!.source, textsOf(shop!), shop!.pagination_data.total]).toEqual(['shop', ['3', '2'], 3]);
    expect([desk!.source, textsOf(desk!), desk!.pagination_data.next_cursor]).toEqual(['desk', ['4'], null]);
    const cursors = { [hub.shop]: shop!.pagination_data.next_cursor, [hub.desk]: null };
    const next = await hub.recent({ page_size: 2, cursors });
    expect([textsOf(next[hub.shop]!), textsOf(next[hub.desk]!)]).toEqual([['1'], ['4']]);
    const list = { conversation_id: hub.shop, order: 'desc', cursor: cursors[hub.shop] };
    expect(textsOf((await hub.api.post<Page>('/messages.list', list)).body)).toEqual(['1']);
  });

  it('gives those of some sources', async () => {
    await using hub = await start({ shop: ['1'], desk: ['2'] });
    expect(Object.keys(await hub.recent({ include_sources: ['shop', 'nobody'] }))).toEqual([hub.shop]);
    expect(await hub.recent({ include_sources: ['nobody'] })).toEqual({});
    expect(Object.keys(await hub.recent({ include_sources: [] }))).toEqual([]);
  });

  it('has no more than a page of bytes, and leads on', async () => {
    await using hub = await start({ shop: ['s'], desk: ['d'] });
    const sent = ['s', 'd'].flatMap((name) => Array.from({ length: 8 }, (_, n) => `${name}${n}`));
    for (const name of sent) {
      const conversation_id = name.startsWith('s') ? hub.shop : hub.desk;
      await hub.api.post('/messages.send', { conversation_id, message: { text: name + 'x'.repeat(90_000) } });
    }
    const cursors: Record<string, string | null> = {};
    const met: string[] = [];
    for (let rounds = 0; rounds === 0 || Object.values(cursors).some((cursor) => cursor !== null); rounds++) {
      expect(rounds).toBeLessThan(5);
      const recent = await hub.recent({ cursors });
      expect(JSON.stringify(recent).length).toBeLessThan(1_300_000);
      for (const [conversation, page] of Object.entries(recent)) {
        if (rounds === 0 || cursors[conversation] !== null) met.push(...textsOf(page).map((text) => text.slice(0, 2)));
        cursors[conversation] = page.pagination_data.next_cursor;
      }
    }
    expect(met.toSorted()).toEqual([...sent, 's', 'd'].sort());
  });

  it('leads on where there was no room for anything', async () => {
    await using api = await startDispatching();
    const conversations: string[] = [];
    for (const [n, name] of ['shop', 'desk', 'till'].entries()) {
      const message = {
        ...{ source_message_id: 'm', source_conversation_id: 'ann', source_channel_id: 'line', from_contact: true },
        ...{ source_sender_id: 'ann', content: name.repeat(150_000), sent_at: Date.UTC(2026, 0, 1) + n },
      };
      const { authorization } = await api.addSource(name);
      type Ingested = { messages: { conversation_id: string }[] };
      const answer = await api.post<Ingested>('/sources.webhook', { messages: [message] }, authorization);
      conversations.push(answer.body.messages[0]!.conversation_id);
    }
    const [contact_id, ...others] = conversations.map(contactOfConversation);
    for (const id of [contact_id, ...others]) {
      await until('the contact', async () => (await api.post('/contacts.info', { id })).status === 200);
    }
    for (const source_id of others) await api.post('/contacts.merge', { source_id, destination_id: contact_id });
    const ask = async (more: object = {}) =>
      (await api.post<Recent>('/contacts.recent-messages', { contact_id, ...more })).body;
    const recent = Object.entries(await ask());
    expect(recent.map(([, { source, data }]) => [source, data.length])).toEqual([
      ['till', 1],
      ['desk', 1],
      ['shop', 0],
    ]);
    const [id, { pagination_data }] = recent[2]!;
    expect(pagination_data).toMatchObject({ next_cursor: expect.any(String), total: 1 });
    const later = await ask({ include_sources: ['shop'], cursors: { [id]: pagination_data.next_cursor } });
    expect(later[id]!.data).toMatchObject([{ content: 'shop'.repeat(150_000) }]);
  });

  it('refuses an unknown contact and a cursor of another list', async () => {
    await using hub = await start({ shop: ['1'], desk: ['2'] });
    const path = '/contacts.recent-messages';
    expect(refusalOf(await hub.api.post(path, { contact_id: unknown }))).toEqual([404, 'not_found']);
    const cursors = { [hub.shop]: 'bm9uZQ' };
    expect(refusalOf(await hub.api.post(path, { contact_id: hub.contact_id, cursors }))).toEqual([
      400,
      'invalid_cursor',
    ]);
  });
});

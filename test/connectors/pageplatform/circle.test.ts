import { describe, expect, it } from 'vitest';
import { answer, messagesOf, onlyConversation, startWith, tell } from '../graph/circle.ts';
import { token } from '../graph/platform.ts';
import { contact, page } from './page-cases.ts';
import { account, photographer } from './photo-cases.ts';
import { ofPage, ofPhotos } from './updates.ts';

const answers = {
  'GET /oauth/access_token': { access_token: 'lasting' },
  [`GET /${page}`]: { id: page, name: 'Page', access_token: token, picture: { data: { url: 'https://p.example/1' } } },
  [`POST /${page}/subscribed_apps`]: { success: true },
  [`DELETE /${page}/subscribed_apps`]: { success: true },
  'POST /me/messages': { recipient_id: contact, message_id: 'm_sent' },
  [`GET /${contact}`]: { first_name: 'Ann', last_name: 'Lee' },
  [`GET /${photographer}`]: { name: 'Pho' },
  'GET /me/accounts': {
    data: [
      { id: page, name: 'Page' },
      { id: '2', name: 'Other' },
    ],
  },
};

describe.each([
  ['pageplatform', {}, page, contact, ofPage],
  ['photoplatform', { account_id: account }, account, photographer, ofPhotos],
])('%s', (source, body, channel, person, batchOf) => {
  const event = (more: object, timestamp: number) => ({
    ...{ sender: { id: person }, recipient: { id: channel }, timestamp },
    ...more,
  });

  it('goes the whole way, from connect to disconnect', async () => {
    await using hub = await startWith(answers);
    const { api, calls } = hub;
    const now = api.system.clock.now();
    const given = { page_id: page, page_token: 'given', name: 'Support', ...body };
    const connected = await api.post<{ id: string }>(`/channels.${source}.connect`, given);
    expect(connected).toMatchObject({
      status: 200,
      body: { source, source_channel_id: channel, connected: true, metadata: { name: 'Support' } },
    });

    const hello = batchOf(event({ message: { mid: 'm_1', text: 'Hello' } }, now));
    await Promise.all(Array.from({ length: 10 }, () => tell(api, '/pageplatform', hello)));
    const { id } = await onlyConversation(api);
    const sent = await answer(api, id, { text: 'Hi' });
    expect(sent).toMatchObject({ state: 'delivered', metadata: { source: { id: 'm_sent' } } });

    const side = { sender: { id: channel }, recipient: { id: person }, timestamp: now };
    await tell(api, '/pageplatform', batchOf({ ...side, message: { mid: 'm_sent', text: 'Hi', is_echo: true } }));
    await tell(api, '/photoplatform', batchOf(event({ read: { mid: 'm_sent', watermark: now } }, now)));
    await tell(api, '/pageplatform', batchOf(event({ delivery: { mids: ['m_sent'], watermark: now } }, now)));
    await tell(api, '/pageplatform', batchOf(event({ reaction: { mid: 'm_sent', action: 'react', emoji: '❤' } }, now)));
    const shown = await messagesOf(api, id);
    expect(shown.map(({ from_contact, content }) => [from_contact, content])).toEqual([
      [true, { mid: 'm_1', text: 'Hello' }],
      [false, { text: 'Hi' }],
    ]);
    expect(shown[1]!.metadata).toMatchObject({
      ...{ source: { id: 'm_sent', delivery_state: 'read' }, reaction: { emoji: '❤' } },
    });

    expect((await api.post(`/channels.${source}.disconnect`, { channel_id: connected.body.id })).status).toBe(202);
    expect(calls.at(-1)).toBe(`DELETE /${page}/subscribed_apps`);
    expect(JSON.stringify(api.lines)).not.toMatch(/EAAG|the-secret|lasting|"given"/);
  });
});

it('the pages of a token are shown with what is connected', async () => {
  await using hub = await startWith(answers);
  const { api } = hub;
  await api.post('/channels.pageplatform.connect', { page_id: page, page_token: 'given', name: 'Support' });
  const { body } = await api.post<{ data: object[] }>('/channels.pageplatform.explore', { auth_token: 'given' });
  expect(body.data).toEqual([
    { page_id: page, name: 'Page', connected: true },
    { page_id: '2', name: 'Other', connected: false },
  ]);
});

import { describe, expect, it } from 'vitest';
import { channelId, conversationId } from '#actors/ids.ts';
import type { ChannelJson, ConversationJson, MessageJson } from '#actors/representation.ts';
import { operations } from '#src/http/operations.ts';
import { VisitorTokens } from '#src/security/visitor-token.ts';
import { refusalOf, startApi, type TestApi } from '../_support/api.ts';
import { testConfig } from '../_support/config.ts';
import { until } from '../_support/source-client.ts';
import { claimsIn, connectChannel, messagesOf, visit } from '../_support/visitor.ts';

const unknownId = '0192f3a4-5b6c-7d8e-9f01-000000000000';
const hour = 3_600_000;

const listed = async (api: TestApi): Promise<ConversationJson[]> =>
  (await api.post<{ data: ConversationJson[] }>('/conversations.list')).body.data;

describe('a channel for visitors', () => {
  it('is connected under its name', async () => {
    await using api = await startApi();
    const body = { name: 'shop', image_url: 'https://shop.example/a.png' };
    const connected = await api.post<ChannelJson>('/channels.chatplugin.connect', body);
    expect([connected.status, connected.body]).toEqual([
      200,
      {
        ...{ id: channelId('chatplugin', 'shop'), source: 'chatplugin', source_channel_id: 'shop', connected: true },
        metadata: { name: 'shop', image_url: 'https://shop.example/a.png' },
      },
    ]);
    const again = await api.post<ChannelJson>('/channels.chatplugin.connect', { name: 'shop' });
    expect(again.body).toEqual(connected.body);
  });

  it('is disconnected, once or twice, and connected again', async () => {
    await using api = await startApi();
    const channel_id = await connectChannel(api);
    for (let times = 0; times < 2; times++) {
      expect((await api.post('/channels.chatplugin.disconnect', { channel_id })).status).toBe(202);
    }
    expect(refusalOf(await api.post('/chatplugin.authenticate', { channel_id }))).toEqual([
      403,
      'channel_not_connected',
    ]);
    expect(await connectChannel(api)).toBe(channel_id);
    expect((await api.post('/chatplugin.authenticate', { channel_id })).status).toBe(200);
  });

  it('is not disconnected where there is none', async () => {
    await using api = await startApi();
    const { channel } = await api.addSource('shop');
    for (const channel_id of [unknownId, channel]) {
      const answer = await api.post('/channels.chatplugin.disconnect', { channel_id });
      expect(refusalOf(answer)).toEqual([400, 'channel_unknown']);
    }
  });

  it('names the pages that may use it, until it does not', async () => {
    await using api = await startApi();
    const allowed_origins = ['https://shop.example'];
    const channel_id = await connectChannel(api, { allowed_origins });
    const from = async (Origin?: string) =>
      (await api.post('/chatplugin.authenticate', { channel_id }, Origin === undefined ? {} : { Origin })).status;
    expect([await from('https://shop.example'), await from('https://evil.example'), await from()]).toEqual([
      200, 403, 403,
    ]);
    await connectChannel(api);
    expect(await from('https://evil.example')).toBe(403);
    await connectChannel(api, { allowed_origins: null });
    expect(await from('https://evil.example')).toBe(200);
  });

  it.each(['https://shop.example/', 'https://shop.example/path', 'shop.example', '*'])(
    'takes %s for no origin',
    async (origin) => {
      await using api = await startApi();
      const answer = await api.post('/channels.chatplugin.connect', { name: 'shop', allowed_origins: [origin] });
      expect(refusalOf(answer)).toEqual([400, 'invalid_request']);
    },
  );
});

describe('without the component', () => {
  it('every operation says that it is off', async () => {
    const config = { ...testConfig(), components: { sources: {} } };
    await using api = await startApi({ config });
    const id = channelId('chatplugin', 'shop');
    const channel = { source: 'chatplugin', sourceChannelId: 'shop', name: 'shop' };
    await api.commands.send('channel', id, 'channel.connect', channel);
    const claims = { conversationId: conversationId(id, 'ann'), channelId: id, contact: 'ann' };
    const Authorization = await new VisitorTokens(config, api.system.clock).make('visit', claims);
    const concerned = operations.filter(({ feature }) => feature === 'chatplugin');
    expect(concerned).toHaveLength(5);
    for (const { path, auth, example } of concerned) {
      const answer = await api.post(path, example, auth.startsWith('visitor') ? { Authorization } : {});
      expect([path, ...refusalOf(answer)]).toEqual([path, 409, 'feature_disabled']);
      expect(answer.body.error).toContain('components.sources.chatplugin');
    }
  });
});

describe('while the component is switched off', () => {
  const set = (api: TestApi, enabled: boolean) =>
    api.post('/components.update', { components: [{ name: 'sources-chatplugin', enabled }] });

  it('agents are refused, and what waits goes on waiting', async () => {
    await using api = await startApi();
    api.dispatch();
    const visitor = await visit(api);
    await visitor.say('Hello');
    const send = (text: string) =>
      api.post('/messages.send', { conversation_id: visitor.conversation, message: { text } });
    await send('Before');
    await until('nobody is called', () => api.reader.outbox.count() === 0);
    await set(api, false);
    const refused = await send('Meanwhile');
    expect(refusalOf(refused)).toEqual([403, 'channel_not_connected']);
    expect(refused.body.error).toContain('chatplugin');
    expect((await messagesOf(api, visitor)).map(({ state }) => state)).toEqual(['delivered', 'pending']);
    await set(api, true);
    expect((await send('Later')).status).toBe(200);
  });
});

describe('a visitor', () => {
  it('begins without a trace, and a conversation with a message', async () => {
    await using api = await startApi();
    const visitor = await visit(api);
    expect(visitor.earlier).toEqual([]);
    expect(await listed(api)).toEqual([]);
    const { sub, channel_id, conversation_id, exp } = claimsIn(visitor.token);
    expect(conversation_id).toBe(conversationId(channel_id, sub));
    expect(exp * 1_000 - api.system.clock.now()).toBe(hour);
    const { status, body } = await visitor.say('Hello');
    expect([status, body]).toEqual([
      200,
      {
        ...{ id: body.id, content: { text: 'Hello' }, state: 'delivered', delivery_state: 'delivered' },
        ...{ from_contact: true, sent_at: '2026-01-01T00:00:00.000Z', source: 'chatplugin', metadata: {} },
        sender: { id: sub },
      },
    ]);
    expect(await messagesOf(api, visitor)).toEqual([body]);
    expect(await listed(api)).toMatchObject([{ id: conversation_id, unread_count: 1, channel: { id: channel_id } }]);
  });

  it('is somebody else each time', async () => {
    await using api = await startApi();
    const [one, two] = [await visit(api), await visit(api)];
    expect(one.conversation).not.toBe(two.conversation);
    // Keys are shared by all strangers.
    const channel_id = await connectChannel(api);
    const ask = () =>
      api.post<{ token: string }>('/chatplugin.authenticate', { channel_id }, { 'Idempotency-Key': 'same' });
    expect((await ask()).body.token).not.toBe((await ask()).body.token);
  });

  it('says the same thing once, however often it is sent', async () => {
    await using api = await startApi();
    const visitor = await visit(api);
    const first = await visitor.say('Hello', 'm-1');
    const again = await visitor.say('Something else', 'm-1');
    expect(again.body).toEqual(first.body);
    const key = { 'Idempotency-Key': 'k' };
    const keyed = await visitor.post<MessageJson>('/chatplugin.send', { message: { text: 'Two' } }, key);
    expect((await visitor.post<MessageJson>('/chatplugin.send', { message: { text: 'Two' } }, key)).body).toEqual(
      keyed.body,
    );
    expect((await messagesOf(api, visitor)).map(({ content }) => content)).toEqual([
      { text: 'Hello' },
      { text: 'Two' },
    ]);
  });

  it('names messages for itself: another one’s are others', async () => {
    await using api = await startApi();
    const [one, two] = [await visit(api), await visit(api)];
    const said = [await one.say('One', 'm-1'), await two.say('Two', 'm-1')];
    expect(new Set(said.map(({ body }) => body.id)).size).toBe(2);
    expect((await messagesOf(api, two)).map(({ content }) => content)).toEqual([{ text: 'Two' }]);
  });

  it('keeps the digits of what it says', async () => {
    await using api = await startApi();
    const visitor = await visit(api);
    const headers = { 'Content-Type': 'application/json', ...visitor.authorization };
    const body = '{"message":{"n":9007199254740993,"price":1.10}}';
    const text = await (await fetch(`${api.url}/chatplugin.send`, { method: 'POST', headers, body })).text();
    expect(text).toContain('"content":{"n":9007199254740993,"price":1.10}');
  });

  it('says 64 KiB at most', async () => {
    await using api = await startApi();
    const visitor = await visit(api);
    expect((await visitor.say('x'.repeat(60_000))).status).toBe(200);
    expect((await visitor.say('x'.repeat(66_000))).status).toBe(413);
  });

  it('can not go on over a channel that is disconnected', async () => {
    await using api = await startApi();
    const visitor = await visit(api);
    await visitor.say('Hello');
    const resume_token = await visitor.resumeToken();
    await api.post('/channels.chatplugin.disconnect', { channel_id: claimsIn(visitor.token).channel_id });
    const refused = [
      await visitor.post('/chatplugin.send', { message: {} }),
      await visitor.post('/chatplugin.resumeToken'),
    ];
    refused.push(await api.post('/chatplugin.authenticate', { resume_token }));
    expect(refused.map(({ status }) => status)).toEqual([403, 403, 403]);
  });
});

describe('how often visitors may ask', () => {
  const limited = async (visitors: Partial<ReturnType<typeof testConfig>['visitors']>) => {
    const config = testConfig();
    return startApi({ config: { ...config, visitors: { ...config.visitors, ...visitors } } });
  };

  it('is bounded for an address, and begins anew with time', async () => {
    await using api = await limited({ authenticationsPerAddress: 3 });
    const channel_id = await connectChannel(api);
    const ask = () => api.post('/chatplugin.authenticate', { channel_id });
    for (let times = 0; times < 3; times++) expect((await ask()).status).toBe(200);
    const refused = await ask();
    expect([...refusalOf(refused), refused.headers.get('retry-after')]).toEqual([429, 'rate_limited', '20']);
    api.system.clock.advance(20_000);
    expect([(await ask()).status, (await ask()).status]).toEqual([200, 429]);
  });

  it('bounds no one who comes back with a token by others', async () => {
    await using api = await limited({ authenticationsPerAddress: 2, authenticationsPerChannel: 1 });
    const visitor = await visit(api);
    const channel_id = await connectChannel(api);
    const resume = (resume_token: string) => api.post('/chatplugin.authenticate', { resume_token });
    const ticket = await visitor.resumeToken();
    expect((await api.post('/chatplugin.authenticate', { channel_id })).status).toBe(429);
    expect((await api.post('/chatplugin.authenticate', { channel_id })).status).toBe(429);
    const back = [await resume(ticket), await resume(ticket), await resume(ticket)];
    expect(back.map(({ status }) => status)).toEqual([200, 200, 429]);
    expect(back[2]!.headers.get('retry-after')).toBe('30');
    expect((await resume('x.y.z')).status).toBe(429);
  });

  it('is bounded for a channel, each for itself', async () => {
    await using api = await limited({ authenticationsPerChannel: 1, sendsPerChannel: 1 });
    const visitor = await visit(api);
    expect((await visitor.say('One')).status).toBe(200);
    expect((await visitor.say('Two')).status).toBe(429);
    const channel_id = await connectChannel(api);
    expect((await api.post('/chatplugin.authenticate', { channel_id })).status).toBe(429);
    const other = await connectChannel(api, { name: 'other' });
    expect((await api.post('/chatplugin.authenticate', { channel_id: other })).status).toBe(200);
  });
});

describe('a page of any origin', () => {
  it('may ask for a visitor, and for nothing else', async () => {
    await using api = await startApi();
    const Origin = 'https://shop.example';
    const asked = await fetch(`${api.url}/chatplugin.authenticate`, { method: 'OPTIONS', headers: { Origin } });
    expect([asked.status, asked.headers.get('access-control-allow-origin')]).toEqual([204, '*']);
    expect(asked.headers.get('access-control-allow-headers')).toContain('Authorization');
    expect(asked.headers.get('access-control-allow-credentials')).toBeNull();
    const channel_id = await connectChannel(api);
    const begun = await api.post('/chatplugin.authenticate', { channel_id }, { Origin });
    expect([begun.status, begun.headers.get('access-control-allow-origin')]).toEqual([200, '*']);
    expect((await api.post('/channels.list', {}, { Origin })).status).toBe(403);
  });
});

import { describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { lookEvery } from '#src/realtime/credentials-watch.ts';
import { createFanOut } from '#src/realtime/fan-out.ts';
import { serialiseFrame } from '#src/realtime/frame.ts';
import { visitorDoor } from '#src/realtime/visitor/door.ts';
import { startApi, type TestApi } from '../../_support/api.ts';
import { systemToken } from '../../_support/config.ts';
import { until } from '../../_support/source-client.ts';
import { connectChannel, TestVisitor } from '../../_support/visitor.ts';

/** A hub with a channel, and a visitor who has said hello. */
async function start(more: object = {}) {
  const stack = new AsyncDisposableStack();
  const api = stack.use(await startApi());
  const channel = await connectChannel(api, more);
  const visitor = stack.use(await TestVisitor.authenticated(api, { channel_id: channel }));
  await visitor.say('Hello');
  return { api, channel, visitor, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

const refusal = (opened: Promise<unknown>): Promise<string> =>
  opened.then(
    () => 'let in',
    ({ message }: Error) => message,
  );

describe('the token of a visitor', () => {
  it.each([
    ['the CONNECT frame', ({ authorization: connectHeaders }: TestVisitor) => ({ connectHeaders })],
    ['the upgrade', ({ authorization: headers }: TestVisitor) => ({ headers, connectHeaders: {} })],
    ['the address', ({ token }: TestVisitor) => ({ query: `?token=${token}`, connectHeaders: {} })],
  ])('is taken from %s', async (_, shown) => {
    await using here = await start();
    const tab = await (await here.visitor.open(shown(here.visitor))).listen();
    await here.visitor.say('One');
    await until('it is pushed', () => tab.pushed.length === 1);
  });

  it('is asked for: nothing else opens the socket', async () => {
    await using here = await start();
    const { api, visitor } = here;
    const source = await api.addSource('shop');
    const others = [
      undefined,
      'Bearer x',
      systemToken,
      source.authorization.Authorization,
      await visitor.resumeToken(),
    ];
    for (const Authorization of others) {
      const connectHeaders = Authorization === undefined ? {} : { Authorization };
      expect(await refusal(visitor.open({ connectHeaders }))).toBe('unauthorized');
    }
  });

  it('opens no socket of the core API', async () => {
    await using here = await start();
    const { api, visitor } = here;
    const url = `${api.url.replace('http', 'ws')}/ws.communication`;
    const socket = new WebSocket(url, ['v12.stomp'], { headers: { Origin: 'https://shop.example' } });
    await new Promise((resolve) => socket.once('error', resolve));
    expect(socket.readyState).not.toBe(WebSocket.OPEN);
    await expect(visitor.open({ headers: { Origin: 'https://shop.example' } })).resolves.toBeDefined();
  });

  it('ends its sockets when it ends', async () => {
    await using here = await start();
    const tab = await here.visitor.open();
    here.api.system.clock.set(3_600_000 - 1);
    here.api.system.clock.advance(0);
    here.api.system.clock.set(1);
    here.api.system.clock.advance(lookEvery);
    await until('the socket is closed', () => tab.closed !== null);
    expect([tab.error?.['code'], tab.closed]).toEqual(['unauthorized', 1008]);
  });

  it('opens no socket of a channel that is gone', async () => {
    await using here = await start();
    const { api, channel, visitor } = here;
    const tab = await visitor.open();
    await api.post('/channels.chatplugin.disconnect', { channel_id: channel });
    expect(await refusal(visitor.open())).toBe('channel_not_connected');
    api.system.clock.advance(lookEvery);
    await until('the socket is closed', () => tab.closed !== null);
    expect([tab.error?.['code'], tab.closed]).toEqual(['channel_not_connected', 1008]);
  });

  it('ends sockets of pages that may not come any more', async () => {
    await using here = await start();
    const { api, visitor } = here;
    const [kept, gone] = ['https://shop.example', 'https://old.example'];
    const tabs = await Promise.all([kept, gone].map((Origin) => visitor.open({ headers: { Origin } })));
    await connectChannel(api, { allowed_origins: [kept] });
    api.system.clock.advance(lookEvery);
    await until('the socket is closed', () => tabs[1]!.closed !== null);
    expect([tabs[1]!.error?.['code'], tabs[1]!.closed]).toEqual(['forbidden', 1008]);
    expect(tabs[1]!.error?.['message']).toContain('allowed_origins');
    await tabs[0]!.listen();
    expect(tabs[0]!.error).toBeNull();
  });

  it('opens a socket for pages of the channel only', async () => {
    await using api = await startApi();
    const Origin = 'https://shop.example';
    const channel_id = await connectChannel(api, { allowed_origins: [Origin] });
    const { body } = await api.post<{ token: string }>('/chatplugin.authenticate', { channel_id }, { Origin });
    await using visitor = new TestVisitor(api, body.token, []);
    expect(await refusal(visitor.open({ headers: { Origin: 'https://evil.example' } }))).toBe('forbidden');
    expect(await refusal(visitor.open({ headers: { Origin } }))).toBe('let in');
  });
});

describe('a socket of a visitor', () => {
  it.each([
    ['a destination that is none', 'SUBSCRIBE', '/events', ''],
    ['a message', 'SEND', '/user/queue/message', '{"text":"x"}'],
    ['typing that says nothing', 'SEND', '/typing', '{"typing":"yes"}'],
    ['what is no JSON', 'SEND', '/typing', '{'],
  ])('refuses %s', async (_, command, destination, body) => {
    await using here = await start();
    const tab = await here.visitor.open();
    if (command === 'SEND') tab.client.publish({ destination, body });
    else tab.client.subscribe(destination, () => {});
    await until('it is refused', () => tab.error !== null);
    expect(tab.error?.['code']).toBe('invalid_request');
  });

  it('is one of sixteen at most', async () => {
    await using here = await start();
    const { visitor } = here;
    const tabs = [];
    for (let n = 0; n < 16; n++) tabs.push(await visitor.open());
    expect(await refusal(visitor.open())).toBe('overloaded');
    await tabs[0]!.client.deactivate();
    await until('there is room', async () => (await refusal(visitor.open())) === 'let in');
  });

  it('that is gone before it is let in is not counted', async () => {
    await using here = await start();
    const { api, visitor } = here;
    const fanOut = createFanOut(api.services);
    const door = visitorDoor(api.services, fanOut, { send: 0, expect: 0 });
    const wire = { send() {}, backlog: () => 0, drained: async () => {}, close() {} };
    const hello = serialiseFrame('CONNECT', [['accept-version', '1.2']], '', '1.2');
    const connected: boolean[] = [];
    for (let n = 0; n < 40; n++) {
      const { session } = door.begin(wire, { token: visitor.token });
      session.receive(hello);
      session.closed('left');
    }
    const { session } = door.begin(
      { ...wire, send: (data) => void connected.push(String(data).startsWith('CONNECTED')) },
      { token: visitor.token },
    );
    session.receive(hello);
    await until('it is let in', () => connected.length > 0);
    expect(connected).toEqual([true]);
    session.closed('left');
    fanOut.close();
  });

  it('goes on behind the last frame that it got', async () => {
    await using here = await start();
    const { visitor } = here;
    const tab = await (await visitor.open()).listen();
    await visitor.say('One');
    await until('One is pushed', () => tab.frames.length === 1);
    await visitor.say('Two');
    const after = tab.frames[0]!.headers['message-id']!;
    const again = await (await visitor.open()).listen({ after });
    await visitor.say('Three');
    await until('Three is pushed', () => again.pushed.length === 2);
    expect(again.texts).toEqual(['Two', 'Three']);
  });

  it('goes on behind the answer that the visitor resumed with', async () => {
    await using here = await start();
    const { api, visitor } = here;
    const { body } = await api.post<{ cursor: string }>('/chatplugin.authenticate', {
      resume_token: await visitor.resumeToken(),
    });
    await visitor.say('Before the socket');
    const tab = await (await visitor.open()).listen({ after: body.cursor });
    await visitor.say('With the socket');
    await until('both are pushed', () => tab.pushed.length === 2);
    expect(tab.texts).toEqual(['Before the socket', 'With the socket']);
  });

  it('is over when the component is switched off', async () => {
    await using here = await start();
    const { api, visitor } = here;
    const tab = await visitor.open();
    await switchOff(api);
    expect(await refusal(visitor.open())).toBe('feature_disabled');
    api.system.clock.advance(lookEvery);
    await until('the socket is closed', () => tab.closed !== null);
    expect([tab.error?.['code'], tab.closed]).toEqual(['feature_disabled', 1008]);
  });
});

const switchOff = (api: TestApi) =>
  api.post('/components.update', { components: [{ name: 'sources-chatplugin', enabled: false }] });

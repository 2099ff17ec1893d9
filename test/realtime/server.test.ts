import { Client, type StompHeaders, Versions } from '@stomp/stompjs';
import { describe, expect, it, vi } from 'vitest';
import { WebSocket } from 'ws';
import { Failure } from '#actors/errors.ts';
import { lookEvery } from '#src/realtime/credentials-watch.ts';
import type { Agent, KeyHolder } from '#src/security/caller.ts';
import { ManualClock } from '../_support/manual-clock.ts';
import { agent, connect, connectRaw, type Identify, RawClient, startHub, subscribe } from './support.ts';

const conversation = '018f0000-0000-7000-8000-00000000000a';
const other = '018f0000-0000-7000-8000-00000000000b';
const until = <T>(check: () => T) => vi.waitFor(check, { interval: 2, timeout: 15_000 });
const numbers = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index);

describe('the stock client', { timeout: 20_000 }, () => {
  it('connects with the newest version and heart-beats', async () => {
    const hub = await startHub();
    const connected: StompHeaders[] = [];
    const client = new Client({ brokerURL: hub.url, onConnect: (frame) => void connected.push(frame.headers) });
    client.activate();
    await until(() => expect(connected.length).toBe(1));
    expect(client.connectedVersion).toBe('1.2');
    expect(connected[0]).toMatchObject({ version: '1.2', 'heart-beat': '30000,30000', server: 'parley' });
    expect((client.webSocket as unknown as WebSocket).protocol).toBe('v12.stomp');
    expect(hub.realtime.sessions()).toBe(1);
    await client.deactivate();
    await until(() => expect(hub.realtime.sessions()).toBe(0));
  });

  it.each([Versions.V1_0, Versions.V1_1, Versions.V1_2])('connects with %s alone', async (version) => {
    const hub = await startHub();
    const client = await connect(hub, { stompVersions: new Versions([version]) });
    expect(client.connectedVersion).toBe(version);
    const { seqs } = await subscribe(client, '/events');
    hub.feed.append('message.created', conversation, { text: 'a:b\nc\\' });
    await until(() => expect(seqs).toEqual([1]));
  });

  it('gets from each destination what it names', async () => {
    const hub = await startHub();
    const client = await connect(hub);
    const all = await subscribe(client, '/events');
    const created = await subscribe(client, '/events/message.created');
    const one = await subscribe(client, `/conversations/${conversation.toUpperCase()}`);
    hub.feed.append('message.created', conversation);
    hub.feed.append('message.created', other);
    hub.feed.append('message.updated', conversation);
    hub.feed.append('channel.updated', null, { name: 'ünï\u0000' });
    await until(() => expect(all.seqs).toEqual([1, 2, 3, 4]));
    expect(created.seqs).toEqual([1, 2]);
    expect(one.seqs).toEqual([1, 3]);
    const [frame] = all.frames.slice(-1);
    expect(frame?.headers).toMatchObject({
      subscription: all.subscription.id,
      destination: '/events',
      'content-type': 'application/json',
      'message-id': hub.feed.encodeCursor([4]),
    });
    expect(JSON.parse(frame?.body ?? '')).toEqual({
      type: 'channel.updated',
      subject: { type: 'channel', id: 'c' },
      payload: { name: 'ünï\u0000' },
      timestamp: 1,
      seq: 4,
      cursor: hub.feed.encodeCursor([4]),
    });
  });

  it('gets nothing from before it subscribed or after it left', async () => {
    const hub = await startHub();
    const client = await connect(hub);
    hub.feed.append('message.created', conversation);
    const all = await subscribe(client, '/events');
    const brief = await subscribe(client, '/events');
    hub.feed.append('message.created', conversation);
    await until(() => expect(brief.seqs).toEqual([2]));
    const left = new Promise((resolve) => client.watchForReceipt('left', resolve));
    brief.subscription.unsubscribe({ receipt: 'left' });
    await left;
    hub.feed.append('message.created', conversation);
    await until(() => expect(all.seqs).toEqual([2, 3]));
    expect(brief.seqs).toEqual([2]);
  });

  it.each(['/events', `/conversations/${conversation}`])(
    'resumes %s over 5,000 while more come',
    async (destination) => {
      const hub = await startHub();
      for (let index = 0; index < 5000; index++)
        hub.feed.add('message.created', conversation, { text: 'x'.repeat(300) });
      const client = await connect(hub);
      const { seqs } = await subscribe(client, destination, { after: hub.feed.encodeCursor([0]) });
      while ((hub.feed.end()[0] as number) < 5500) {
        hub.feed.append('message.created', conversation);
        await new Promise(setImmediate);
      }
      await until(() => expect(seqs.length).toBeGreaterThanOrEqual(5500));
      expect(seqs).toEqual(numbers(1, 5500));
    },
  );

  it('resumes after the event whose cursor it kept', async () => {
    const hub = await startHub();
    for (let index = 0; index < 30; index++) hub.feed.add('message.created', conversation);
    const first = await subscribe(await connect(hub), '/events', { after: hub.feed.encodeCursor([0]) });
    await until(() => expect(first.seqs.length).toBe(30));
    const cursor = JSON.parse(first.frames[11]?.body ?? '').cursor;
    const second = await subscribe(await connect(hub), '/events', { after: cursor });
    await until(() => expect(second.seqs).toEqual(numbers(13, 30)));
  });

  it('gets each event once in each of 50 sessions', async () => {
    const hub = await startHub();
    const clients = await Promise.all(numbers(1, 50).map(() => connect(hub)));
    const tails = await Promise.all(clients.map((client) => subscribe(client, '/events')));
    const before = hub.feed.reads;
    for (let index = 0; index < 100; index++) hub.feed.append('message.created', conversation);
    await until(() => {
      for (const { seqs } of tails) expect(seqs).toEqual(numbers(1, 100));
    });
    expect(hub.feed.reads - before).toBeLessThan(100);
    expect(hub.realtime.sessions()).toBe(50);
  });

  it('is told that the hub goes away', async () => {
    const hub = await startHub();
    const codes: number[] = [];
    const client = await connect(hub);
    client.onWebSocketClose = (event) => void codes.push(event.code);
    const raw = await connectRaw(hub);
    await hub.realtime.close();
    expect(await raw.closed()).toBe(1001);
    await until(() => expect(codes).toEqual([1001]));
    expect(hub.realtime.sessions()).toBe(0);
    expect(raw.frames.map((frame) => frame.command)).toEqual(['CONNECTED']);
    await expect(new RawClient(hub.url).opened()).rejects.toThrow('503');
  });
});

describe('authentication', () => {
  const identify: Identify = async (_scope, { authorization, cookie }) => {
    if (authorization === 'Bearer right' || cookie === 'parley_auth_token=right') return agent;
    throw new Failure(authorization === 'Bearer source' ? 'forbidden' : 'unauthorized', 'No.');
  };

  it.each(['Authorization', 'authorization'])('takes the %s header of CONNECT', async (name) => {
    const client = await connect(await startHub({ identify }), { connectHeaders: { [name]: 'Bearer right' } });
    expect(client.connected).toBe(true);
  });

  it.each([{ authorization: 'Bearer right' }, { cookie: 'parley_auth_token=right' }])(
    'takes %j of the upgrade',
    async (headers) => {
      const hub = await startHub({ identify });
      const client = await connect(hub, { webSocketFactory: () => new WebSocket(hub.url, ['v12.stomp'], { headers }) });
      expect(client.connected).toBe(true);
    },
  );

  it.each([{}, { Authorization: 'Bearer wrong-credential' }, { Authorization: 'Bearer source' }])(
    'refuses %j with a sentence',
    async (headers) => {
      const hub = await startHub({ identify });
      await expect(connect(hub, { connectHeaders: headers })).rejects.toThrow('A valid credential is needed');
      await until(() => expect(hub.realtime.sessions()).toBe(0));
      expect(JSON.stringify(hub.log)).not.toContain('wrong-credential');
    },
  );

  it.each<[opens: boolean, rights: Pick<KeyHolder, 'operations' | 'sources'>]>([
    [true, { operations: ['events.list'], sources: null }],
    [true, { operations: ['*'], sources: null }],
    [false, { operations: ['messages.*'], sources: null }],
    [false, { operations: ['*'], sources: new Set(['shop']) }],
  ])('%s: lets in a key with %o', async (opens, rights) => {
    const key: KeyHolder = { kind: 'key', keyId: 'k', sender: { id: 'api-key:k' }, ...rights };
    const connecting = connect(await startHub({ identify: async () => key }));
    if (opens) expect((await connecting).connected).toBe(true);
    else await expect(connecting).rejects.toThrow('A valid credential is needed');
  });

  it('closes a socket whose credential has ended, and no other', async () => {
    const clock = new ManualClock();
    const ended = new Set<string>();
    const identify: Identify = (_scope, { authorization = '' }) => {
      if (ended.has(authorization) || authorization === '') throw new Failure('unauthorized', 'No.');
      return authorization === 'Bearer down' && ended.size > 0 ? Promise.reject(new Error('down')) : agent;
    };
    const hub = await startHub({ identify, clock });
    const [revoked, good, doubtful] = await Promise.all(
      ['revoked', 'good', 'down'].map((token) => connectRaw(hub, { Authorization: `Bearer ${token}` })),
    );
    ended.add('Bearer revoked');
    clock.advance(lookEvery - 1);
    expect(hub.realtime.sessions()).toBe(3);
    clock.advance(1);
    expect(await revoked!.closed()).toBe(1008);
    expect(hub.realtime.sessions()).toBe(2);
    good!.socket.close();
    doubtful!.socket.close();
  });

  it('names the caller of the session in the log', async () => {
    const hub = await startHub({ identify });
    const raw = await connectRaw(hub, { Authorization: 'Bearer right' });
    raw.socket.close();
    await until(() => expect(hub.log.at(-1)).toMatchObject({ fields: { caller: 'agent test:ann', outcome: 'left' } }));
  });

  it('asks for the header of CONNECT before the upgrade', async () => {
    const tried: (string | undefined)[] = [];
    const hub = await startHub({
      identify: (scope, credentials) => {
        tried.push(credentials.authorization);
        return identify(scope, credentials);
      },
    });
    const headers = { authorization: 'Bearer right' };
    const raw = await new RawClient(hub.url, { headers }).opened();
    raw.send('CONNECT', { 'accept-version': '1.2', Authorization: 'Bearer wrong' });
    await raw.frame('CONNECTED');
    expect(tried).toEqual(['Bearer wrong', 'Bearer right']);
  });

  it('lets no frame through before it', async () => {
    const asked: ((caller: Agent) => void)[] = [];
    const hub = await startHub({ identify: () => new Promise<Agent>((resolve) => void asked.push(resolve)) });
    hub.feed.add('message.created', conversation);
    const raw = await new RawClient(hub.url).opened();
    const subscribeText = `SUBSCRIBE\nid:s\ndestination:/events\nafter:${hub.feed.encodeCursor([0])}\nreceipt:r\n\n\0`;
    raw.socket.send(`CONNECT\naccept-version:1.2\n\n\0${subscribeText}`);
    await until(() => expect(asked.length).toBe(1));
    expect(raw.frames).toEqual([]);
    asked[0]?.(agent);
    await raw.frame('MESSAGE');
    expect(raw.frames.map((frame) => frame.command)).toEqual(['CONNECTED', 'RECEIPT', 'MESSAGE']);
  });

  it('answers a failing check with an internal error', async () => {
    const hub = await startHub({ identify: () => Promise.reject(new Error('down')) });
    await expect(connect(hub)).rejects.toThrow('connect again');
    expect(hub.log.find((line) => line.event === 'realtime.session_broken')?.fields['error']).toContain('down');
  });
});

describe('the upgrade', () => {
  it('leaves other paths alone', async () => {
    const hub = await startHub();
    for (const path of ['/ws.chatplugin', '/ws.communication/x', '/']) {
      await expect(new RawClient(`ws://${hub.host}${path}`).opened()).rejects.toThrow('404');
    }
  });

  it('takes a query and no sub-protocol', async () => {
    const hub = await startHub();
    const raw = await new RawClient(`${hub.url}?x=1`, { protocols: [] }).opened();
    raw.send('STOMP', { 'accept-version': '1.1' });
    expect((await raw.frame('CONNECTED')).headers.get('version')).toBe('1.1');
  });

  it('refuses a page of another origin with 403', async () => {
    const hub = await startHub();
    const headers = { origin: 'https://elsewhere.example' };
    await expect(new RawClient(hub.url, { headers }).opened()).rejects.toThrow('403');
    expect(hub.realtime.sessions()).toBe(0);
  });

  it('gives the cookies of the own pages only', async () => {
    const seen: object[] = [];
    const identify: Identify = (_scope, credentials) => {
      seen.push(credentials);
      return agent;
    };
    const hub = await startHub({ identify, allowedOrigins: ['*', 'https://inbox.example'] });
    for (const origin of ['https://elsewhere.example', 'https://inbox.example', `http://${hub.host}`]) {
      const raw = await new RawClient(hub.url, { headers: { origin, cookie: 'a=b' } }).opened();
      raw.send('CONNECT', { 'accept-version': '1.2' });
      await raw.frame('CONNECTED');
    }
    expect(seen).toEqual([{}, {}, { cookie: 'a=b' }]);
  });

  it('closes on a message above 64 KiB', async () => {
    const hub = await startHub();
    const raw = await connectRaw(hub);
    raw.socket.send('x'.repeat(65_537));
    expect(await raw.closed()).toBe(1009);
    expect(hub.log.map((line) => line.fields['outcome'])).toEqual(['socket_error']);
  });
});

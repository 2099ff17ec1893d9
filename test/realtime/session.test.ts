import { describe, expect, it, vi } from 'vitest';
import { createFanOut } from '#src/realtime/fan-out.ts';
import { communicationDoor } from '#src/realtime/communication.ts';
import { systemClock } from '#src/runtime/system.ts';
import type { Auth } from '#src/security/auth.ts';
import { MemoryFeed } from './memory-feed.ts';
import { agent, connect, connectRaw, healthy, type Hub, quietLog, RawClient, startHub, subscribe } from './support.ts';

const conversation = '018f0000-0000-7000-8000-00000000000a';
const until = <T>(check: () => T) => vi.waitFor(check, { interval: 2, timeout: 10_000 });

const failed = async (raw: RawClient) => {
  const { headers, body } = await raw.frame('ERROR');
  const code = await raw.closed();
  expect(headers.get('message')).toBe(body.toString());
  return { headers: Object.fromEntries(headers), code };
};

describe('heart-beats', () => {
  it('are sent as agreed and keep the client', async () => {
    const hub = await startHub({ heartBeat: { send: 100, expect: 100 } });
    let lost = 0;
    let heard = 0;
    const client = await connect(hub, {
      heartbeatIncoming: 100,
      heartbeatOutgoing: 100,
      onHeartbeatReceived: () => void heard++,
      onHeartbeatLost: () => void lost++,
    });
    await until(() => expect(heard).toBeGreaterThan(3));
    expect(client.connected).toBe(true);
    expect(lost).toBe(0);
  });

  it('that stop on the client side end the session', async () => {
    const hub = await startHub({ heartBeat: { send: 0, expect: 20 } });
    const raw = await connectRaw(hub, { 'heart-beat': '10,0' });
    expect((await failed(raw)).headers['message']).toContain('heart-beats');
    expect(raw.text.startsWith('\n')).toBe(false);
    await until(() => expect(hub.realtime.sessions()).toBe(0));
  });

  it('are not sent to a client that wants none', async () => {
    const hub = await startHub({ heartBeat: { send: 5, expect: 5 } });
    const quiet = await connectRaw(hub, { 'heart-beat': '0,0' });
    const noisy = await connectRaw(hub, { 'heart-beat': '0,5' });
    await until(() => expect(noisy.text.match(/\0\n{5}/)).not.toBeNull());
    expect(quiet.text.endsWith('\0')).toBe(true);
    expect(quiet.closeCode).toBeNull();
  });
});

describe('a session', () => {
  it('waits 10 seconds for CONNECT', () => {
    const sent: string[] = [];
    const timers: { delayMs: number; run: () => void }[] = [];
    const schedule = (delayMs: number, run: () => void) => {
      timers.push({ delayMs, run });
      return () => {};
    };
    const wire = {
      send: (data: string | Buffer) => void sent.push(data.toString()),
      backlog: () => 0,
      drained: async () => {},
      close: (code: number) => void sent.push(`${code}`),
    };
    const feed = new MemoryFeed();
    const clock = { now: () => 0, elapsed: () => 0, schedule, soon: systemClock.soon };
    const services = { clock, ids: { uuid: () => 'x', random: () => 0 }, log: quietLog, feed, ...healthy };
    const fanOut = createFanOut({ clock, feed, log: quietLog, onGrew: feed.onGrew, ...healthy });
    const door = communicationDoor(services, fanOut, { identify: () => agent } as unknown as Auth, {
      heartBeat: { send: 0, expect: 0 },
    });
    door.begin(wire, {});
    expect(timers.map(({ delayMs }) => delayMs)).toEqual([10_000]);
    timers[0]?.run();
    expect(sent).toEqual([expect.stringContaining('No CONNECT frame came'), '1002']);
  });

  it.each([
    ['a version it does not speak', { 'accept-version': '2.0,3' }, 'speaks STOMP 1.0,1.1,1.2'],
    ['a heart-beat header that is no pair', { 'accept-version': '1.2', 'heart-beat': 'often' }, 'heart-beat header'],
  ])('refuses %s', async (_, headers, sentence) => {
    const hub = await startHub();
    const raw = await new RawClient(hub.url).opened();
    raw.send('CONNECT', headers);
    expect((await failed(raw)).headers['message']).toContain(sentence);
  });

  it('names its versions when none fits', async () => {
    const raw = await new RawClient((await startHub()).url).opened();
    raw.send('CONNECT', { 'accept-version': '9' });
    expect((await failed(raw)).headers['version']).toBe('1.0,1.1,1.2');
  });

  it('is 1.0 for a client that names no version', async () => {
    const raw = await new RawClient((await startHub()).url, { version: '1.0' }).opened();
    raw.send('CONNECT');
    const { headers } = await raw.frame('CONNECTED');
    expect(headers.get('version')).toBe('1.0');
    expect(headers.has('heart-beat')).toBe(false);
    raw.send('SUBSCRIBE', { destination: '/events', receipt: 'a' });
    raw.send('UNSUBSCRIBE', { destination: '/events', receipt: 'b' });
    await until(() => expect(raw.frames.map((frame) => frame.headers.get('receipt-id'))).toContain('b'));
  });

  it('wants CONNECT first', async () => {
    const raw = await new RawClient((await startHub()).url).opened();
    raw.send('SUBSCRIBE', { id: '1', destination: '/events' });
    const { headers, code } = await failed(raw);
    expect(headers['message']).toContain('The first frame must be CONNECT');
    expect(code).toBe(1002);
  });

  it.each<[string, string, Record<string, string>, string, string]>([
    ['SEND', 'SEND', { destination: '/events' }, 'read-only', 'invalid_request'],
    ['BEGIN', 'BEGIN', { transaction: '1' }, 'no transactions', 'invalid_request'],
    ['a second CONNECT', 'CONNECT', {}, 'connected already', 'invalid_request'],
    ['an unknown frame', 'HELLO', {}, 'no client frame "HELLO"', 'invalid_request'],
    ['SUBSCRIBE without id', 'SUBSCRIBE', { destination: '/events' }, 'id header', 'invalid_request'],
    ['SUBSCRIBE without destination', 'SUBSCRIBE', { id: '1' }, 'destination header', 'invalid_request'],
    ['UNSUBSCRIBE without id', 'UNSUBSCRIBE', {}, 'id header', 'invalid_request'],
    ['an unknown destination', 'SUBSCRIBE', { id: '1', destination: '/queue/x' }, '"/queue/x"', 'invalid_request'],
    ['a deeper destination', 'SUBSCRIBE', { id: '1', destination: '/events/a/b' }, '/events/<type>', 'invalid_request'],
    ['an unknown type', 'SUBSCRIBE', { id: '1', destination: '/events/x.y' }, 'message.created', 'invalid_request'],
    [
      'a conversation that is no id',
      'SUBSCRIBE',
      { id: '1', destination: '/conversations/x' },
      'UUID',
      'invalid_request',
    ],
    ['a bad cursor', 'SUBSCRIBE', { id: '1', destination: '/events', after: '?' }, 'cursor', 'invalid_cursor'],
  ])('answers %s with ERROR and closes', async (_, command, headers, sentence, code) => {
    const raw = await connectRaw(await startHub());
    raw.send(command, { ...headers, receipt: 'the receipt' });
    const failure = await failed(raw);
    expect(failure.headers).toMatchObject({ code, message: expect.stringContaining(sentence) });
    expect(failure.headers['receipt-id']).toBe('the receipt');
    expect(raw.frames.map((frame) => frame.command)).toEqual(['CONNECTED', 'ERROR']);
  });

  it.each([
    ['SEND\nbad\n\n\0', 'name:value'],
    ['SEND\0', 'empty line'],
  ])('answers %j with ERROR and closes', async (text, sentence) => {
    const hub = await startHub();
    const raw = await connectRaw(hub);
    raw.socket.send(text);
    expect((await failed(raw)).headers['message']).toContain(sentence);
    await until(() => expect(hub.log.at(-1)).toMatchObject({ event: 'realtime.session_closed' }));
    expect(hub.log.at(-1)?.fields).toMatchObject({ outcome: 'invalid_request', subscriptions: 0, events: 0 });
  });

  it('refuses an id twice and a subscription too many', async () => {
    const hub = await startHub();
    const twice = await connectRaw(hub);
    twice.send('SUBSCRIBE', { id: '1', destination: '/events' });
    twice.send('SUBSCRIBE', { id: '1', destination: '/events' });
    expect((await failed(twice)).headers).toMatchObject({
      message: expect.stringContaining('"1" already'),
      cursor: expect.stringMatching(/./),
    });
    const many = await connectRaw(hub);
    for (let id = 0; id <= 100; id++) many.send('SUBSCRIBE', { id: `${id}`, destination: '/events' });
    expect((await failed(many)).headers).toMatchObject({ message: expect.stringContaining('100'), code: 'overloaded' });
  });

  it('takes frames cut over messages and in binary', async () => {
    const raw = await connectRaw(await startHub());
    const bytes = Buffer.from('SUBSCRIBE\r\nid:ä\r\ndestination:/events\r\nreceipt:ü\r\n\r\n\0');
    for (const byte of bytes) raw.socket.send(Buffer.of(byte), { binary: true });
    expect((await raw.frame('RECEIPT')).headers.get('receipt-id')).toBe('ü');
  });

  it('confirms ACK and NACK and ignores them', async () => {
    const hub = await startHub();
    const raw = await connectRaw(hub);
    raw.send('SUBSCRIBE', { id: '1', destination: '/events', ack: 'client-individual' });
    raw.send('NACK', { id: 'x', receipt: 'nack' });
    raw.send('ACK', { id: 'x', receipt: 'ack' });
    await until(() => expect(raw.frames.map((frame) => frame.headers.get('receipt-id'))).toContain('ack'));
    hub.feed.append('message.created', conversation);
    await raw.frame('MESSAGE');
  });

  it('forgives UNSUBSCRIBE after DISCONNECT', async () => {
    const hub = await startHub();
    const raw = await connectRaw(hub);
    raw.send('SUBSCRIBE', { id: '1', destination: '/events' });
    raw.send('DISCONNECT', { receipt: 'bye' });
    raw.send('UNSUBSCRIBE', { id: '1', receipt: 'gone' });
    await until(() => expect(raw.frames.map((frame) => frame.headers.get('receipt-id'))).toContain('gone'));
    hub.feed.append('message.created', conversation);
    expect(await raw.closed()).toBe(1000);
    expect(raw.frames.map((frame) => frame.command)).toEqual(['CONNECTED', 'RECEIPT', 'RECEIPT']);
  });

  it('ends without a trace of the client that left', async () => {
    const hub = await startHub();
    const client = await connect(hub);
    await subscribe(client, '/events');
    await client.deactivate({ force: true });
    await until(() => expect(hub.realtime.sessions()).toBe(0));
    const { reads } = hub.feed;
    hub.feed.append('message.created', conversation);
    expect(hub.feed.reads).toBe(reads);
  });
});

describe('a slow reader', { timeout: 20_000 }, () => {
  const size = 20_000;
  const seqOf = (body: Buffer) => JSON.parse(body.toString()).seq as number;

  /** More than the operating system's socket buffers and the hub's limit together take. */
  async function fill(hub: Hub, until: () => boolean, passes: number): Promise<void> {
    for (let pass = 0; pass < passes && !until(); pass++) {
      hub.feed.append('message.created', conversation, { text: 'x'.repeat(size) });
      await new Promise(setImmediate);
    }
  }

  it('is closed with the cursor and resumes from it', async () => {
    const hub = await startHub();
    const raw = await connectRaw(hub);
    raw.send('SUBSCRIBE', { id: '1', destination: '/events', receipt: 'r' });
    await raw.frame('RECEIPT');
    raw.socket.pause();
    const closed = () => hub.log.some((line) => line.event === 'realtime.session_closed');
    await fill(hub, closed, 5000);
    expect(closed()).toBe(true);
    for (let index = 0; index < 10; index++) hub.feed.append('message.created', conversation);
    raw.socket.resume();
    const { headers, code } = await failed(raw);
    expect(headers).toMatchObject({ code: 'overloaded', cursor: expect.stringMatching(/./) });
    expect(code).toBe(1013);
    const first = raw.frames.filter((frame) => frame.command === 'MESSAGE').map((frame) => seqOf(frame.body));
    const rest = await subscribe(await connect(hub), '/events', { after: headers['cursor'] as string });
    const total = hub.feed.end()[0] as number;
    await until(() => expect(rest.seqs.at(-1)).toBe(total));
    expect([...first, ...rest.seqs]).toEqual(Array.from({ length: total }, (_, index) => index + 1));
  });

  it('of two subscriptions resumes after the one behind', async () => {
    const hub = await startHub();
    for (let index = 0; index < 400; index++) {
      hub.feed.add('message.created', conversation, { text: 'x'.repeat(size) });
    }
    const raw = await connectRaw(hub);
    const after = hub.feed.encodeCursor([0]);
    raw.send('SUBSCRIBE', { id: 'behind', destination: '/events', after, receipt: 'r' });
    await raw.frame('RECEIPT');
    raw.socket.pause();
    raw.send('SUBSCRIBE', { id: 'live', destination: '/events/channel.updated' });
    raw.send('SEND', { destination: '/events' });
    await until(() => expect(hub.log.some((line) => line.event === 'realtime.session_closed')).toBe(true));
    raw.socket.resume();
    const { headers } = await failed(raw);
    const got = raw.frames.filter((frame) => frame.command === 'MESSAGE').length;
    expect(got).toBeLessThan(400);
    expect(headers['cursor']).toBe(hub.feed.encodeCursor([got]));
  });

  it('of receipts is closed too', async () => {
    const hub = await startHub();
    const raw = await connectRaw(hub);
    raw.socket.pause();
    const closed = () => hub.log.some((line) => line.event === 'realtime.session_closed');
    const receipt = 'x'.repeat(8000);
    for (let pass = 0; pass < 5000 && !closed(); pass++) {
      raw.send('ACK', { id: '1', receipt });
      await new Promise(setImmediate);
    }
    await until(() => expect(closed()).toBe(true));
    raw.socket.resume();
    expect((await failed(raw)).headers['code']).toBe('overloaded');
  });

  it('that catches up is waited for', async () => {
    const hub = await startHub();
    const total = 1000;
    for (let index = 0; index < total; index++) {
      hub.feed.add('message.created', conversation, { text: 'x'.repeat(size) });
    }
    const raw = await connectRaw(hub);
    raw.send('SUBSCRIBE', { id: '1', destination: '/events', after: hub.feed.encodeCursor([0]), receipt: 'r' });
    await raw.frame('RECEIPT');
    raw.socket.pause();
    const quick = await subscribe(await connect(hub), '/events', { after: hub.feed.encodeCursor([0]) });
    await until(() => expect(quick.seqs.length).toBe(total));
    raw.socket.resume();
    const seqs = () => raw.frames.filter((frame) => frame.command === 'MESSAGE').map((frame) => seqOf(frame.body));
    await until(() => expect(raw.frames.length).toBe(total + 2));
    expect(seqs()).toEqual(quick.seqs);
    expect(raw.closeCode).toBeNull();
  });
});

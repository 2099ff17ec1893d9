import { expect, test } from 'vitest';
import { sourceDelivery } from '#actors/conversation/delivery.ts';
import { namespaces } from '#actors/ids.ts';
import { uuidToBytes, uuidV5 } from '#actors/uuid.ts';
import { Failure } from '#actors/errors.ts';
import { Metrics } from '#src/metrics.ts';
import { startDispatch } from '#src/node/owner-dispatch.ts';
import { failuresToOpen, probeAfterMs } from '#src/outgoing/circuit-breaker.ts';
import type { OutgoingClient, OutgoingRequest } from '#src/outgoing/client.ts';
import { answering, startApi, type TestApi } from '../_support/api.ts';
import { testConfig } from '../_support/config.ts';
import { until } from '../_support/source-client.ts';
import { stepsOf } from '../actors/support.ts';

const gateway = 'https://gateway.example';

/** A hub with two sources behind one gateway, of which it reaches `well` alone. */
async function start() {
  const api = await startApi();
  const channels: Record<string, string> = {};
  for (const name of ['ill', 'well']) {
    channels[name] = (await api.addSource(name)).channel;
    await api.post('/sources.update', { source_id: name, action_endpoint: `${gateway}/${name}` });
  }
  const calls: string[] = [];
  let isIll = true;
  api.dispatch({
    ...answering(200, {}),
    send(request) {
      calls.push(request.url);
      return answering(isIll && request.url.endsWith('ill') ? 500 : 200, {}).send(request);
    },
  });
  const send = async (source: string, recipient: string): Promise<string> => {
    const start = { channel_id: channels[source], source_recipient_id: recipient, message: { text: 'Hello' } };
    return (await api.post<{ id: string }>('/messages.send', start)).body.id;
  };
  const mend = () => {
    isIll = false;
  };
  return { api, calls, send, mend, [Symbol.asyncDispose]: () => api[Symbol.asyncDispose]() };
}

const stateOf = (api: TestApi, id: string): string => api.reader.messages.find(id)!.message.state;
const attempts = (api: TestApi): number => api.lines.filter(({ event }) => event === 'delivery.attempted').length;

/** Opens the circuit of `ill`; what it is sent from now on has to wait. */
async function openCircuit({ api, calls, send }: Awaited<ReturnType<typeof start>>): Promise<void> {
  for (let n = 0; n < failuresToOpen; n++) await send('ill', `contact-${n}`);
  await until('the failures', () => calls.length === failuresToOpen);
  await until('their records', () => attempts(api) === failuresToOpen);
}

test('a source out of reach takes no other of its gateway down', async () => {
  await using hub = await start();
  await openCircuit(hub);
  const other = await hub.send('well', 'ann');
  await until('the delivery', () => stateOf(hub.api, other) === 'delivered');
  expect(hub.calls.filter((url) => url.endsWith('ill'))).toHaveLength(failuresToOpen);
});

test('a send that waits for the probe has made no attempt', async () => {
  await using hub = await start();
  const { api, calls, send } = hub;
  await openCircuit(hub);
  const waiting = await send('ill', 'one-more');
  const other = await send('well', 'ann');
  await until('the delivery', () => stateOf(api, other) === 'delivered');
  expect(calls).toHaveLength(failuresToOpen + 1);
  const stored = api.system.open();
  const [text] = stored.prepare('SELECT delivery FROM message WHERE id = ?').pluck().all(uuidToBytes(waiting));
  stored.close();
  expect(JSON.parse(String(text))).toMatchObject({
    value: { pending: 'queued' },
    context: { attempts: 0 },
    revision: 1,
  });
});

test('when the probe succeeds, what waited goes out at once', async () => {
  await using hub = await start();
  const { api, send } = hub;
  await openCircuit(hub);
  hub.mend();
  const opened = api.system.clock.now();
  const waiting = [await send('ill', 'bob'), await send('ill', 'cem'), await send('ill', 'dan')];
  await until('the deliveries', () => {
    api.system.clock.advance(500);
    return waiting.every((id) => stateOf(api, id) === 'delivered');
  });
  expect(api.system.clock.now() - opened).toBeLessThan(1.5 * probeAfterMs);
});

test('an outage of 14 s fails no send', async () => {
  await using hub = await start();
  const { api, calls, send } = hub;
  const sends = await Promise.all(Array.from({ length: 20 }, (_, n) => send('ill', `contact-${n}`)));
  await until('the first failures', () => attempts(api) >= failuresToOpen);
  for (let second = 0; second < 14; second++) {
    api.system.clock.advance(1_000);
    await new Promise(setImmediate);
  }
  // Those of the first moment, and a probe.
  expect(calls.length).toBeLessThanOrEqual(sends.length + 1);
  hub.mend();
  await until('the deliveries', () => {
    api.system.clock.advance(1_000);
    return sends.every((id) => stateOf(api, id) === 'delivered');
  });
});

test('a source may push the echo before it answers', async () => {
  await using api = await startApi();
  const shop = await api.addSource('shop');
  await api.post('/sources.update', { source_id: 'shop', action_endpoint: `${gateway}/shop` });
  const message = {
    ...{ source_message_id: 'out-1', source_conversation_id: 'ann', source_channel_id: 'line' },
    ...{ source_sender_id: 'shop', content: 'Hello', from_contact: false, sent_at: Date.UTC(2026, 0, 1) },
  };
  api.dispatch({
    ...answering(200, {}),
    async send(request) {
      const { status } = await api.post('/sources.webhook', { messages: [message] }, shop.authorization);
      return answering(status, { source_message_id: 'out-1' }).send(request);
    },
  });
  const start = { channel_id: shop.channel, source_recipient_id: 'ann', message: { text: 'Hello' } };
  const { id } = (await api.post<{ id: string }>('/messages.send', start)).body;
  await until('the delivery', () => stateOf(api, id) === 'delivered');
  const { conversationId } = api.reader.messages.find(id)!;
  expect(api.reader.messages.page(conversationId, { limit: 10, from: null }, 'asc').total).toBe(1);
});

test('a send that is tried again is not overtaken', async () => {
  await using api = await startApi();
  const { channel } = await api.addSource('shop');
  await api.post('/sources.update', { source_id: 'shop', action_endpoint: `${gateway}/shop` });
  const called: string[] = [];
  const sends: string[] = [];
  for (const text of ['one', 'two', 'three']) {
    const message = { channel_id: channel, source_recipient_id: 'ann', message: { text } };
    sends.push((await api.post<{ id: string }>('/messages.send', message)).body.id);
  }
  api.dispatch({
    ...answering(200, {}),
    send(request) {
      called.push(sends.find((id) => String(request.body).includes(id))!);
      return answering(called.length === 1 ? 500 : 200, {}).send(request);
    },
  });
  await until('the failure', () => attempts(api) === 1);
  await until('all deliveries', () => {
    api.system.clock.advance(1_000);
    return sends.every((id) => stateOf(api, id) === 'delivered');
  });
  expect(called).toEqual([sends[0], ...sends]);
});

test('a send is given up after the time that is configured', async () => {
  await using api = await startApi({ config: { ...testConfig(), delivery: { giveUpAfter: 20_000 } } });
  const { channel } = await api.addSource('shop');
  await api.post('/sources.update', { source_id: 'shop', action_endpoint: `${gateway}/shop` });
  api.dispatch(answering(429, { error: 'Too many.' }));
  const message = { channel_id: channel, source_recipient_id: 'ann', message: { text: 'Hello' } };
  const { body } = await api.post<{ id: string }>('/messages.send', message);
  const shown = () => api.reader.messages.find(body.id)!.message;
  await until('the wait', () => shown().metadata['error'] === 'Too many. (the source asked to wait)');
  expect(shown().state).toBe('pending');
  const begin = api.system.clock.now();
  await until('the end', () => {
    api.system.clock.advance(1_000);
    return shown().state === 'failed';
  });
  expect(shown().metadata).toEqual({ error: 'Too many. (given up after 20 s)' });
  expect(api.system.clock.now() - begin).toBeGreaterThanOrEqual(20_000);
});

test('a source that no connector speaks to refuses', async () => {
  await using hub = await start();
  const { api } = hub;
  const channel = uuidV5(namespaces.channel, 'pigeons', 'coop');
  const coop = { source: 'pigeons', sourceChannelId: 'coop', name: 'Coop' };
  await api.commands.send('channel', channel, 'channel.connect', coop);
  const conversation = uuidV5(namespaces.conversation, channel, 'ann');
  const id = uuidV5(namespaces.command, 'one');
  await api.commands.send('conversation', conversation, 'message.send', {
    ...{ messageId: id, content: { text: 'Coo' }, sender: { id: 'test:ann' } },
    origin: { channelId: channel, source: 'pigeons', sourceConversationId: 'ann' },
  });
  await until('the refusal', () => stateOf(api, id) === 'failed');
  expect(api.reader.messages.find(id)!.message.metadata).toMatchObject({
    error: 'This hub has no connector for the source pigeons.',
  });
});

/** A client whose calls are all answered with 200 and this text. */
const saying = (body: string, calls: unknown[]): OutgoingClient => ({
  ...answering(200, {}),
  async send(request) {
    calls.push(request);
    return { kind: 'answered', status: 200, headers: {}, body, truncated: false, durationMs: 1 };
  },
});

/** A hub with one send to one source, not carried out yet. */
async function sending() {
  const api = await startApi();
  const { channel } = await api.addSource('shop');
  await api.post('/sources.update', { source_id: 'shop', action_endpoint: `${gateway}/shop` });
  const start = { channel_id: channel, source_recipient_id: 'ann', message: { text: 'Hello' } };
  const { id } = (await api.post<{ id: string }>('/messages.send', start)).body;
  const message = () => api.reader.messages.find(id)!.message;
  return { api, id, message, [Symbol.asyncDispose]: () => api[Symbol.asyncDispose]() };
}

test.each(['1', '1.10'])('an answer nested without end is an answer, with %s in it', async (innermost) => {
  await using send = await sending();
  const calls: unknown[] = [];
  const levels = 10_000;
  const metadata = `${'{"a":'.repeat(levels)}${innermost}${'}'.repeat(levels)}`;
  send.api.dispatch(saying(`{"source_message_id":"s-1","metadata":${metadata}}`, calls));
  await until('the delivery', () => {
    send.api.system.clock.advance(1_000);
    return send.message().state !== 'pending';
  });
  expect(calls).toHaveLength(1);
  const left_out = 'What the source said of it: the metadata would be nested deeper than 32 levels.';
  expect(send.message()).toMatchObject({ state: 'delivered', metadata: { source: { id: 's-1' }, left_out } });
});

test('an outcome that can not be recorded is tried to record again', async () => {
  await using send = await sending();
  const { api } = send;
  const calls: unknown[] = [];
  let failures = 0;
  const commandsFor: typeof api.services.commandsFor = (origin) => {
    const commands = api.services.commandsFor(origin);
    const meddling = (...command: Parameters<typeof commands.send>) => {
      if (command[2] !== 'attempt.finish' || ++failures > 2) return commands.send(...command);
      return Promise.reject(new Failure('internal', 'A defect.'));
    };
    return { ...commands, send: meddling as typeof commands.send };
  };
  const client = saying('{"source_message_id":"s-1","metadata":{"a":1}}', calls);
  const ports = { sources: client, webhooks: client, metrics: new Metrics() };
  const dispatch = startDispatch({ ...api.services, commandsFor }, ports);
  await until('the delivery', () => {
    api.system.clock.advance(1_000);
    return send.message().state !== 'pending';
  });
  await dispatch.stop();
  expect(calls).toHaveLength(1);
  const metadata = { source: { id: 's-1' }, left_out: 'What the source said of it: it could not be stored.' };
  expect(send.message()).toMatchObject({ state: 'delivered', metadata });
});

test('a call cut off by a crash is told as unknown and made again', async () => {
  await using api = await startApi();
  const { channel } = await api.addSource('shop');
  await api.post('/sources.update', { source_id: 'shop', action_endpoint: `${gateway}/shop` });
  const start = { channel_id: channel, source_recipient_id: 'ann', message: { text: 'Hello' } };
  const { body } = await api.post<{ id: string }>('/messages.send', start);
  const effect = api.reader.outbox.after(0, 0, 10).find(({ kind }) => kind === sourceDelivery);
  const { conversationId } = api.reader.messages.find(body.id)!;
  const about = { messageId: body.id, effectId: effect!.id };
  await api.commands.send('conversation', conversationId, 'attempt.start', about);
  api.dispatch(answering(200, {}));
  await until('the record', () => api.reader.messages.find(body.id)!.message.metadata['outcome_unknown'] === true);
  api.system.clock.advance(1_000);
  await until('the delivery', () => stateOf(api, body.id) === 'delivered');
});

test('what two nodes begin at the same moment are two attempts', async () => {
  await using api = await startApi();
  const { channel } = await api.addSource('shop');
  await api.post('/sources.update', { source_id: 'shop', action_endpoint: `${gateway}/shop` });
  const start = { channel_id: channel, source_recipient_id: 'ann', message: { text: 'Hello' } };
  const { body } = await api.post<{ id: string }>('/messages.send', start);
  let calls = 0;
  const client = {
    ...answering(200, {}),
    send: (request: OutgoingRequest) => {
      calls++;
      return answering(200, {}).send(request);
    },
  };
  api.dispatch(client);
  const other = startDispatch(api.services, { sources: client, webhooks: client, metrics: new Metrics() });
  await until('the delivery', () => stateOf(api, body.id) === 'delivered');
  await other.stop();
  const started = stepsOf(api.system.file).filter(({ event }) => JSON.stringify(event).includes('attempt.started'));
  expect(calls).toBeLessThanOrEqual(started.length);
});

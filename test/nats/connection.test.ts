import { expect, test } from 'vitest';
import { BusError } from '#actors/ports.ts';
import { connectBus } from '#src/nats/connection.ts';
import { connectTo, keepingLog, startServer, until } from './support.ts';

const bytes = (text: string): Uint8Array => Buffer.from(text);
const text = (data: Uint8Array): string => Buffer.from(data).toString();

/** The reason of the BusError that a promise is rejected with. */
async function reasonOf(promise: Promise<unknown>): Promise<string> {
  const error = await promise.then(
    () => new Error('it was answered'),
    (fault: unknown) => fault,
  );
  expect(error).toBeInstanceOf(BusError);
  return (error as BusError).reason;
}

test('answers a request with what the service responds', async () => {
  const { server } = await startServer();
  const bus = await connectTo(server, 'both');
  bus.subscribe('greet.*', (message) => message.respond(bytes(`${message.subject}: ${text(message.data)}`)));
  expect(text(await bus.request('greet.ann', bytes('hello'), 1_000))).toBe('greet.ann: hello');
});

test('passes an empty answer on', async () => {
  const { server } = await startServer();
  const bus = await connectTo(server, 'both');
  bus.subscribe('empty', (message) => message.respond(new Uint8Array(0)));
  expect(await bus.request('empty', bytes('x'), 1_000)).toHaveLength(0);
});

test('gives each of many requests its own answer', async () => {
  const { server } = await startServer();
  const [client, service] = [await connectTo(server, 'client'), await connectTo(server, 'service')];
  service.subscribe('number', (message) => message.respond(message.data));
  await service.flush();
  const sent = Array.from({ length: 2_000 }, (_, index) => String(index));
  const answers = await Promise.all(sent.map((value) => client.request('number', bytes(value), 5_000)));
  expect(answers.map(text)).toEqual(sent);
});

test('fails at once with no_responder when nobody serves', async () => {
  const { server } = await startServer();
  const bus = await connectTo(server, 'alone');
  const startedAt = performance.now();
  expect(await reasonOf(bus.request('nobody', bytes('x'), 60_000))).toBe('no_responder');
  expect(performance.now() - startedAt).toBeLessThan(2_000);
});

test('fails with timeout when the answer does not come', async () => {
  const { server } = await startServer();
  const bus = await connectTo(server, 'patient');
  bus.subscribe('silent', () => {});
  const startedAt = performance.now();
  expect(await reasonOf(bus.request('silent', bytes('x'), 100))).toBe('timeout');
  expect(performance.now() - startedAt).toBeGreaterThanOrEqual(99);
});

test('drops an answer that comes after the timeout', async () => {
  const { server } = await startServer();
  const bus = await connectTo(server, 'late');
  let answerLate = (): void => {};
  bus.subscribe('late', (message) => {
    answerLate = () => message.respond(bytes('late'));
  });
  bus.subscribe('echo', (message) => message.respond(message.data));
  expect(await reasonOf(bus.request('late', bytes('x'), 50))).toBe('timeout');
  answerLate();
  expect(text(await bus.request('echo', bytes('mine'), 1_000))).toBe('mine');
});

test('fails a waiting request when the server dies', async () => {
  const { server } = await startServer();
  const bus = await connectTo(server, 'cut off');
  let taken = false;
  bus.subscribe('slow', () => {
    taken = true;
  });
  const reason = reasonOf(bus.request('slow', bytes('x'), 60_000));
  await until('the request has arrived', () => taken);
  process.kill(server.pid, 'SIGKILL');
  expect(await reason).toBe('disconnected');
});

test('fails a request at once while it is disconnected', async () => {
  const { server } = await startServer();
  const bus = await connectTo(server, 'cut off');
  await server.stop();
  await until('loss is noticed', () => !bus.connected());
  expect(await reasonOf(bus.request('any', bytes('x'), 60_000))).toBe('disconnected');
  expect(await reasonOf(bus.flush())).toBe('disconnected');
});

test('refuses data over the limit without sending it', async () => {
  const { server } = await startServer();
  const bus = await connectTo(server, 'large');
  expect(await reasonOf(bus.request('any', new Uint8Array(5_000_000), 60_000))).toBe('too_large');
  expect(bus.connected()).toBe(true);
});

test('goes on after a handler that throws', async () => {
  const { server } = await startServer();
  const log = keepingLog();
  const bus = await connectTo(server, 'faulty', log);
  bus.subscribe('fault', () => {
    throw new Error('a defect');
  });
  bus.subscribe('echo', (message) => message.respond(message.data));
  bus.publish('fault', bytes('x'));
  expect(text(await bus.request('echo', bytes('alive'), 1_000))).toBe('alive');
  expect(log.lines).toContainEqual(expect.objectContaining({ level: 'error', event: 'bus.handler_failed' }));
});

test('delivers nothing more after a cancel', async () => {
  const { server } = await startServer();
  const bus = await connectTo(server, 'cancel');
  const seen: string[] = [];
  const cancel = bus.subscribe('news', (message) => seen.push(text(message.data)));
  bus.publish('news', bytes('first'));
  await bus.flush();
  cancel();
  cancel();
  bus.publish('news', bytes('second'));
  await bus.flush();
  expect(seen).toEqual(['first']);
});

test('delivers what was published before a close', async () => {
  const { server } = await startServer();
  const [reader, writer] = [await connectTo(server, 'reader'), await connectTo(server, 'writer')];
  let seen = 0;
  reader.subscribe('count', () => {
    seen += 1;
  });
  await reader.flush();
  for (let index = 0; index < 100; index += 1) writer.publish('count', bytes('x'));
  await writer.close();
  await until('all have arrived', () => seen === 100);
});

test('closes while it is disconnected', async () => {
  const { server } = await startServer();
  const bus = await connectTo(server, 'closing');
  await server.stop();
  await until('loss is noticed', () => !bus.connected());
  await bus.close();
  await bus.close();
  expect(bus.connected()).toBe(false);
});

test('says that the first connection failed', async () => {
  const { server } = await startServer();
  await server.stop();
  const failed = connectBus({ url: server.url, name: 'first', log: keepingLog() });
  expect(await reasonOf(failed)).toBe('disconnected');
});

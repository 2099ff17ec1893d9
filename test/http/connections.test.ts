import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { HttpBindings } from '@hono/node-server';
import { Hono } from 'hono';
import { describe, expect, it, onTestFinished } from 'vitest';
import { documentRoutes } from '#src/http/documents/routes.ts';
import { Door } from '#src/http/door.ts';
import { createHttpServer, type HttpLimits, httpLimits } from '#src/http/server.ts';
import { Metrics } from '#src/metrics.ts';
import { SystemIds } from '#src/runtime/system.ts';
import { createGate } from '#src/security/gate.ts';
import { testConfig } from '../_support/config.ts';

type App = Hono<{ Bindings: HttpBindings }>;

const silent = { info() {}, warn() {}, error() {} };

/** The server around an app of the test's own; stopped when the test is over. */
async function listen(app: App, limits: Partial<HttpLimits> = {}): Promise<number> {
  const config = testConfig();
  const parts = {
    ...{ app, metrics: new Metrics(), gate: createGate(config), ids: new SystemIds(), log: silent },
    upgrades: { handleUpgrade: () => false },
  };
  const server = createHttpServer(config.server, parts, { ...httpLimits, ...limits });
  const { url } = await server.listen();
  onTestFinished(() => server.close());
  return Number(new URL(url).port);
}

async function connected(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  return socket;
}

const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`;

/** Answers each path with itself, one event loop later, and tells how many were answered at the same time. */
function echoing() {
  const seen = { running: 0, most: 0, all: 0 };
  const app: App = new Hono();
  app.get('/:name', async (c) => {
    seen.all++;
    seen.most = Math.max(seen.most, ++seen.running);
    await new Promise(setImmediate);
    seen.running--;
    return c.text(`[${c.req.param('name')}]`);
  });
  return { app, seen };
}

describe('a connection', () => {
  it('has one request at work, and the others in turn', async () => {
    const { app, seen } = echoing();
    const socket = await connected(await listen(app));
    let answers = '';
    socket.on('data', (part) => {
      answers += String(part);
      if (answers.includes('[5]')) socket.destroy();
    });
    socket.write([1, 2, 3, 4, 5].map((n) => get(`/${n}`)).join(''));
    await once(socket, 'close');
    expect(answers.match(/\[\d\]/g)).toEqual(['[1]', '[2]', '[3]', '[4]', '[5]']);
    expect(seen.most).toBe(1);
  });

  it('ends when more requests wait than may', async () => {
    const { app, seen } = echoing();
    const socket = await connected(await listen(app));
    socket.resume().write(get('/x').repeat(1_000));
    await once(socket, 'close');
    expect(seen.all).toBeLessThanOrEqual(1 + httpLimits.waiting);
  });

  it('costs little where documents are not read', async () => {
    const documents: App = new Hono();
    const door = new Door({ config: testConfig(), ids: new SystemIds() });
    for (const route of documentRoutes(testConfig())) door.mount(documents, route);
    const port = await listen(documents);
    const warm = await connected(port);
    warm.write(get('/docs/swagger-ui-bundle.js'));
    await once(warm, 'data');
    const before = process.memoryUsage().external;
    const sockets = await Promise.all(Array.from({ length: 40 }, () => connected(port)));
    await Promise.all(
      sockets.map((socket) => {
        socket.write(get('/docs/swagger-ui-bundle.js').repeat(httpLimits.waiting));
        return once(socket, 'data').then(() => socket.pause());
      }),
    );
    expect((process.memoryUsage().external - before) / 1e6).toBeLessThan(25);
  });

  it('is cut within a second of the time for its head', async () => {
    const socket = await connected(await listen(new Hono(), { headers: 200 }));
    const started = performance.now();
    socket.resume().write('GET / HTTP/1.1\r\n');
    await once(socket, 'close');
    expect(performance.now() - started).toBeLessThan(3_000);
  });

  it('is cut when its answer is not read', async () => {
    const closed = Promise.withResolvers<boolean>();
    const app: App = new Hono();
    app.get('/', (c) => {
      c.env.outgoing.on('close', () => closed.resolve(c.env.outgoing.writableFinished));
      return c.body(Buffer.alloc(32 * 1024 * 1024));
    });
    const socket = await connected(await listen(app, { silence: 200 }));
    socket.pause().write(get('/'));
    expect(await closed.promise).toBe(false);
  });

  it('is refused beyond the number that may be open', async () => {
    const port = await listen(echoing().app, { connections: 2 });
    const [first] = await Promise.all([connected(port), connected(port)]);
    first.write(get('/still'));
    await once(first, 'data');
    const third = connect(port, '127.0.0.1').resume();
    third.on('error', () => {});
    await once(third, 'close');
  });
});

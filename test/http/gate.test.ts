import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { startApi, type TestApi } from '../_support/api.ts';
import { systemToken, testConfig } from '../_support/config.ts';

const open: TestApi[] = [];
afterEach(async () => {
  for (const api of open.splice(0)) await api[Symbol.asyncDispose]();
});

async function start(security: Parameters<typeof testConfig>[0] = {}): Promise<TestApi> {
  const health = [{ name: 'nats', problem: () => 'the connection is lost' }];
  const api = await startApi({ config: testConfig(security), health });
  open.push(api);
  return api;
}

/** Sends a head as it is and reads until the server closes, or has upgraded. */
async function answerTo(url: string, lines: string[]): Promise<string> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  let answer = '';
  socket.on('data', (chunk) => {
    answer += String(chunk);
    if (answer.startsWith('HTTP/1.1 101')) socket.destroy();
  });
  socket.write(`${lines.join('\r\n')}\r\n\r\n`);
  await once(socket, 'close');
  return answer;
}

const statusIn = (answer: string): number => Number(answer.slice(9, 12));

const upgrade = [
  'GET /ws.communication HTTP/1.1',
  'Connection: Upgrade',
  'Upgrade: websocket',
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==',
];
const plain = (line: string): string[] => [`${line} HTTP/1.1`, 'Connection: close', 'Content-Length: 0'];

/** Every door of a hub: its address, the head of a request, and the status that a welcome one gets. */
const doors: [name: string, of: (api: TestApi) => string, head: string[], status: number][] = [
  ['an operation', ({ url }) => url, plain('POST /client.config'), 200],
  ['a question for methods', ({ url }) => url, plain('OPTIONS /client.config'), 204],
  ['a path that is none', ({ url }) => url, plain('GET /nothing'), 404],
  ['the documents', ({ url }) => url, plain('GET /openapi.json'), 200],
  ['the metrics', ({ metricsUrl }) => metricsUrl, plain('GET /metrics'), 200],
  ['the socket', ({ url }) => url, upgrade, 101],
];

describe.each(doors)('%s', (_name, addressOf, head, welcome) => {
  it('opens to a program and to a page of the hub', async () => {
    const api = await start();
    const address = addressOf(api);
    for (const headers of [['Host: localhost:1'], ['Host: 127.0.0.1:1', 'Origin: http://127.0.0.1:1']]) {
      expect(statusIn(await answerTo(address, [...head, ...headers])), headers.join()).toBe(welcome);
    }
  });

  it('is closed to a name that was made to point here', async () => {
    const api = await start();
    const rebound = ['Host: rebound.example:1', 'Origin: http://rebound.example:1'];
    const answer = await answerTo(addressOf(api), [...head, ...rebound]);
    expect(statusIn(answer)).toBe(403);
    expect(answer).toContain('"code":"forbidden"');
    expect(answer.toLowerCase()).toContain('x-request-id: ');
  });

  it('is closed to a page of another origin', async () => {
    const api = await start({ authentication: true });
    const address = addressOf(api);
    for (const origin of ['https://elsewhere.example', 'http://127.0.0.1:2', 'null']) {
      const answer = await answerTo(address, [...head, 'Host: 127.0.0.1:1', `Origin: ${origin}`]);
      expect(statusIn(answer), origin).toBe(403);
    }
  });

  it('is closed to a request for two hosts', async () => {
    const api = await start({ authentication: true });
    const answer = await answerTo(addressOf(api), [...head, 'Host: localhost', 'Host: localhost']);
    expect(statusIn(answer)).toBe(400);
  });
});

describe('health', () => {
  it('answers any host, a stranger without reasons', async () => {
    const { url } = await start();
    const ready = (host: string) => answerTo(url, [...plain('GET /health/ready'), `Host: ${host}`]);
    expect(await ready('localhost')).toContain('the connection is lost');
    const stranger = await ready('balancer.example');
    expect(statusIn(stranger)).toBe(503);
    expect(stranger).not.toContain('the connection is lost');
    const live = await answerTo(url, [...plain('GET /health/live'), 'Host: balancer.example']);
    expect(statusIn(live)).toBe(200);
  });
});

describe('the host of a hub', () => {
  const ask = async (api: TestApi, host: string) =>
    statusIn(
      await answerTo(api.url, [...plain('POST /client.config'), `Authorization: ${systemToken}`, `Host: ${host}`]),
    );

  it('is asked for on loopback, however open the hub is', async () => {
    expect(await ask(await start({ allowUnauthenticated: true }), 'rebound.example')).toBe(403);
  });

  it('may have any name where a credential is asked for', async () => {
    const api = await start({ authentication: true });
    expect(await ask(api, 'hub.example')).toBe(200);
    const metrics = await answerTo(api.metricsUrl, [...plain('GET /metrics'), 'Host: hub.example']);
    expect(statusIn(metrics)).toBe(403);
  });
});

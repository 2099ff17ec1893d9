import type { ServerResponse } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { createOutgoingClient, type OutgoingClient, type OutgoingOptions } from '#src/outgoing/client.ts';
import { startListener, startReceiver } from './receiver.ts';

const open: OutgoingClient[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((client) => client.close()));
});

function clientOf(options: Partial<OutgoingOptions> = {}): OutgoingClient {
  const client = createOutgoingClient({ allowNetworks: ['127.0.0.0/8'], ...options });
  open.push(client);
  return client;
}

const toPort = (port: number, path = '/') => ({ url: `http://127.0.0.1:${port}${path}`, headers: {}, body: '{}' });

describe('outgoing client', () => {
  it.each([
    ['a string', '{"text":"Grüße, 世界 👋"}'],
    ['bytes', Buffer.from([0, 255, 254, 13, 10, 0xc3])],
  ])('sends %s exactly as given', async (_, body) => {
    await using receiver = await startReceiver();
    const headers = { 'content-type': 'application/json', 'x-signature': 'abc' };
    const url = `http://127.0.0.1:${receiver.port}/a%20b?c=d#e`;
    await clientOf().send({ url, headers, body });
    const [request] = receiver.requests;
    expect(request?.body).toEqual(Buffer.from(body));
    expect(request).toMatchObject({ method: 'POST', path: '/a%20b?c=d' });
    expect(request?.headers).toMatchObject({ ...headers, 'content-length': String(Buffer.from(body).length) });
  });

  it('answers with status, headers and body', async () => {
    await using receiver = await startReceiver((response) => {
      response.writeHead(422, { 'retry-after': '7' }).end('{"error":"größer"}');
    });
    expect(await clientOf().send(toPort(receiver.port))).toEqual({
      kind: 'answered',
      status: 422,
      headers: expect.objectContaining({ 'retry-after': '7' }),
      body: '{"error":"größer"}',
      truncated: false,
      durationMs: expect.any(Number),
    });
  });

  it.each([301, 302, 303, 307, 308])('returns a %s without following it', async (status) => {
    await using receiver = await startReceiver((response, path) => {
      if (path === '/') response.writeHead(status, { location: '/next' });
      response.end();
    });
    expect(await clientOf().send(toPort(receiver.port))).toMatchObject({ kind: 'answered', status });
    expect(receiver.requests).toHaveLength(1);
  });

  it('reuses connections for calls one after the other', async () => {
    await using receiver = await startReceiver();
    const client = clientOf();
    for (let call = 0; call < 20; call += 1) await client.send(toPort(receiver.port));
    expect(receiver.requests).toHaveLength(20);
    // Two, since a call can begin before the pool has taken the last connection back.
    expect(receiver.sockets).toBeLessThanOrEqual(2);
  });

  it('opens no more connections than the bound', async () => {
    await using receiver = await startReceiver((response) => void setImmediate(() => response.end()));
    const client = clientOf({ connectionsPerOrigin: 3 });
    const results = await Promise.all(Array.from({ length: 30 }, () => client.send(toPort(receiver.port))));
    expect(results.every(({ kind }) => kind === 'answered')).toBe(true);
    expect(receiver.sockets).toBe(3);
  });

  it('keeps the name in the host header', async () => {
    await using receiver = await startReceiver();
    const resolve = async () => [{ address: '127.0.0.1', family: 4 }];
    await clientOf({ resolve }).send({ ...toPort(1), url: `http://receiver.example:${receiver.port}/` });
    expect(receiver.requests[0]?.headers.host).toBe(`receiver.example:${receiver.port}`);
  });

  it('tries the next address when one is closed', async () => {
    await using receiver = await startReceiver(undefined, '127.0.0.1');
    const resolve = async () => ['127.0.0.9', '127.0.0.1'].map((address) => ({ address, family: 4 }));
    const url = `http://receiver.example:${receiver.port}/`;
    expect(await clientOf({ resolve }).send({ ...toPort(1), url })).toMatchObject({ kind: 'answered' });
  });

  it('names the host, not the address, in TLS', async () => {
    const hello: Buffer[] = [];
    await using listener = await startListener((data, socket) => {
      hello.push(data);
      socket.destroy();
    });
    const resolve = async () => [{ address: '127.0.0.1', family: 4 }];
    const url = `https://receiver.example:${listener.port}/`;
    expect(await clientOf({ resolve }).send({ ...toPort(1), url })).toMatchObject({ kind: 'failed' });
    expect(Buffer.concat(hello).includes('receiver.example')).toBe(true);
  });
});

describe('outgoing limits', () => {
  const drip = (response: ServerResponse) => {
    const timer = setInterval(() => response.write('x'), 10);
    response.on('close', () => clearInterval(timer));
  };

  it.each([
    ['silent', () => {}],
    ['dripping', drip],
  ])('cuts a %s receiver at the total time', async (_, answer) => {
    await using receiver = await startReceiver(answer);
    const result = await clientOf().send({ ...toPort(receiver.port), timeoutMs: 150 });
    expect(result).toMatchObject({ kind: 'failed', reason: 'timeout' });
    expect((result as { durationMs: number }).durationMs).toBeLessThan(1500);
  });

  it('cuts a call that waits for a connection, and never sends it', async () => {
    await using receiver = await startReceiver(() => {});
    const client = clientOf({ connectionsPerOrigin: 1 });
    const calls = [300, 100].map((timeoutMs) => client.send({ ...toPort(receiver.port, `/${timeoutMs}`), timeoutMs }));
    const cut = { kind: 'failed', reason: 'timeout' };
    expect(await calls[1]).toMatchObject(cut);
    expect(await calls[0]).toMatchObject(cut);
    const last = client.send({ ...toPort(receiver.port, '/last'), timeoutMs: 300 });
    await expect.poll(() => receiver.requests.length).toBe(2);
    expect(receiver.requests.map(({ path }) => path)).toEqual(['/300', '/last']);
    await last;
  });

  it('cuts a huge answer and drops its connection', async () => {
    await using receiver = await startReceiver((response) => {
      const more = () => {
        while (!response.destroyed && response.write('y'.repeat(65_536)));
      };
      response.on('drain', more);
      more();
    });
    const client = clientOf();
    const result = await client.send({ ...toPort(receiver.port), maximumAnswerBytes: 1000 });
    expect(result).toMatchObject({ kind: 'answered', truncated: true, body: 'y'.repeat(1000) });
    await client.send({ ...toPort(receiver.port), maximumAnswerBytes: 1000 });
    expect(receiver.sockets).toBe(2);
  });

  it('does not call an answer of exactly the limit cut', async () => {
    await using receiver = await startReceiver();
    const result = await clientOf().send({ ...toPort(receiver.port), maximumAnswerBytes: 2 });
    expect(result).toMatchObject({ body: 'ok', truncated: false });
  });

  it('reports headers over the limit', async () => {
    await using receiver = await startReceiver((response) => {
      response.setHeader('x-huge', 'z'.repeat(40_000)).end();
    });
    expect(await clientOf().send(toPort(receiver.port))).toMatchObject({ kind: 'failed', reason: 'answer_too_large' });
  });
});

describe('outgoing failures', () => {
  it('a closed port is a connection failure', async () => {
    const receiver = await startReceiver();
    await receiver[Symbol.asyncDispose]();
    expect(await clientOf().send(toPort(receiver.port))).toMatchObject({ kind: 'failed', reason: 'connection' });
  });

  it('a receiver that hangs up is a connection failure', async () => {
    await using listener = await startListener((_, socket) => socket.destroy());
    expect(await clientOf().send(toPort(listener.port))).toMatchObject({ reason: 'connection' });
  });

  it('an answer that is not HTTP is invalid', async () => {
    await using listener = await startListener((_, socket) => socket.end('nonsense\r\n\r\n'));
    expect(await clientOf().send(toPort(listener.port))).toMatchObject({ reason: 'answer_invalid' });
  });

  it('a plain server behind https is a TLS failure', async () => {
    await using listener = await startListener((_, socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
    const url = `https://127.0.0.1:${listener.port}/`;
    expect(await clientOf().send({ ...toPort(1), url })).toMatchObject({ kind: 'failed', reason: 'tls' });
  });

  it('a handshake without an answer is a connect timeout', async () => {
    await using listener = await startListener(() => {});
    const url = `https://127.0.0.1:${listener.port}/`;
    const result = await clientOf({ connectTimeoutMs: 100 }).send({ ...toPort(1), url });
    expect(result).toMatchObject({ kind: 'failed', reason: 'connect_timeout' });
  });

  it('a resolver without an answer is a connect timeout', async () => {
    const resolve = () => new Promise<never>(() => {});
    const result = await clientOf({ connectTimeoutMs: 50, resolve }).send({ ...toPort(1), url: 'http://a.example/' });
    expect(result).toMatchObject({ kind: 'failed', reason: 'connect_timeout' });
  });

  it.each([
    ['throws', async () => Promise.reject(new Error('ENOTFOUND 10.0.0.1'))],
    ['is empty', async () => []],
  ])('a name is unresolved when its answer %s', async (_, resolve) => {
    const result = await clientOf({ resolve }).send({ ...toPort(1), url: 'http://a.example/' });
    expect(result).toEqual({ kind: 'failed', reason: 'unresolved', durationMs: expect.any(Number) });
  });

  it.each([
    ['Host', 'other.example'],
    ['Content-Length', '1'],
    ['Transfer-Encoding', 'chunked'],
    ['x-bad', 'a\r\nb: c'],
    ['bad name', 'x'],
  ])('refuses the header %s', async (name, value) => {
    await using receiver = await startReceiver();
    const result = await clientOf().send({ ...toPort(receiver.port), headers: { [name]: value } });
    expect(result).toEqual({ kind: 'refused', reason: 'bad_headers' });
    expect(receiver.requests).toEqual([]);
  });

  it('a closed client says so', async () => {
    const client = createOutgoingClient({ allowNetworks: ['127.0.0.0/8'] });
    await client.close();
    expect(await client.send(toPort(1))).toMatchObject({ kind: 'failed', reason: 'closed' });
  });

  it('logs one line for a call, without address and URL', async () => {
    const lines: unknown[] = [];
    const note = (fields: Record<string, unknown>, event: string) => void lines.push({ ...fields, event });
    const resolve = async () => [{ address: '10.9.8.7', family: 4 }];
    const client = clientOf({ log: { info: note, warn: note, error: note }, resolve });
    await client.send({ url: 'http://inner.example/hook?token=s3cret', headers: {}, body: '' });
    const line = { host: 'inner.example', kind: 'refused', reason: 'address_not_allowed', event: 'outgoing.called' };
    expect(lines).toEqual([line]);
  });
});

import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { operations } from '#src/http/operations.ts';
import { usualMetricsPort } from '#src/http/server.ts';
import { version } from '#src/version.ts';
import { type ApiOptions, startApi, TestApi } from '../_support/api.ts';
import { testConfig } from '../_support/config.ts';

const open: TestApi[] = [];
afterEach(async () => {
  for (const api of open.splice(0)) await api[Symbol.asyncDispose]();
});

async function start(options: ApiOptions = {}): Promise<TestApi> {
  const api = await startApi(options);
  open.push(api);
  return api;
}

const post = (url: string, body: string | Buffer | null = null, headers: Record<string, string> = {}) =>
  fetch(url, { method: 'POST', body, headers: { 'content-type': 'application/json', ...headers } });

const codeIn = async (response: Response): Promise<unknown> => ((await response.json()) as { code: string }).code;

/** Something that listens on a port; on one that is taken already, whoever has it. */
async function listenTo(port: number) {
  const server = createServer().listen(port, '127.0.0.1');
  await Promise.race([once(server, 'listening'), once(server, 'error')]).catch(() => {});
  const address = server.address() as AddressInfo | null;
  return {
    port: address?.port ?? port,
    async [Symbol.asyncDispose]() {
      if (!server.listening) return;
      server.close();
      await once(server, 'close');
    },
  };
}

/** Sends bytes as they are and reads until the server closes. */
async function raw(url: string, text: string): Promise<string> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  let answer = '';
  socket.on('data', (chunk) => {
    answer += String(chunk);
  });
  socket.end(text);
  await once(socket, 'close');
  return answer;
}

describe('the HTTP server', () => {
  it('answers unknown paths with 404', async () => {
    const { url } = await start();
    for (const path of ['/messages.nothing', '/messages/send', '/messages.send/', '/%F0%28']) {
      const response = await post(url + path, '{}');
      expect([path, response.status, await codeIn(response)]).toEqual([path, 404, 'not_found']);
    }
  });

  it('answers other methods with 405 and Allow', async () => {
    const { url } = await start();
    for (const method of ['GET', 'PUT', 'DELETE', 'PATCH', 'HEAD']) {
      const response = await fetch(`${url}/messages.send`, { method });
      expect([method, response.status, response.headers.get('allow')]).toEqual([method, 405, 'POST, OPTIONS']);
    }
  });

  it.each(['/', '/docs', '/openapi.json', '/asyncapi.json', '/docs/page.js', '/health/live', '/health/ready'])(
    'only shows %s',
    async (path) => {
      const { url } = await start();
      const allow = 'GET, HEAD, OPTIONS';
      const written = await post(url + path, '{}');
      expect([written.status, await codeIn(written), written.headers.get('allow')]).toEqual([
        ...[405, 'method_not_allowed'],
        allow,
      ]);
      const options = await fetch(url + path, { method: 'OPTIONS' });
      expect([options.status, options.headers.get('allow')]).toEqual([204, allow]);
      expect((await fetch(url + path, { method: 'HEAD' })).status).toBe(200);
    },
  );

  it('leads from its root to its documents', async () => {
    const { url } = await start();
    const { status, headers } = await fetch(`${url}/`, { redirect: 'manual' });
    expect([status, headers.get('location')]).toEqual([302, '/docs']);
  });

  it('asks who only looks at the WebSocket to upgrade', async () => {
    const { url } = await start();
    const response = await fetch(`${url}/ws.communication`);
    expect([response.status, await codeIn(response)]).toEqual([426, 'upgrade_required']);
    expect(response.headers.get('upgrade')).toBe('websocket');
    expect((await post(`${url}/ws.communication`)).status).toBe(405);
  });

  it('asks who has no credential for one', async () => {
    const { url } = await start({ config: testConfig({ authentication: true }) });
    const { status, headers } = await post(`${url}/client.config`);
    expect([status, headers.get('www-authenticate')]).toEqual([401, 'Bearer realm="parley"']);
    expect((await post(`${url}/nothing`)).headers.get('www-authenticate')).toBeNull();
  });

  it('serves every alias', async () => {
    const { url } = await start();
    for (const { aliases = [], takesFile } of operations) {
      for (const path of aliases) {
        const response = await post(url + path, '{}');
        expect([path, response.status]).toEqual([path, takesFile ? 415 : 400]);
      }
    }
  });

  it('puts the version and the request id on answers', async () => {
    const { url } = await start();
    for (const path of ['/client.config', '/messages.send', '/nothing']) {
      const { headers } = await post(url + path, '{}', { 'x-request-id': 'mine' });
      expect([headers.get('x-api-version'), headers.get('x-request-id')]).toEqual([version, 'mine']);
      expect(headers.get('x-content-type-options')).toBe('nosniff');
    }
    for (const path of ['/', '/docs', '/docs/page.css', '/openapi.json', '/health/live', '/ws.communication']) {
      const { headers } = await fetch(url + path, { redirect: 'manual', headers: { 'x-request-id': 'mine' } });
      expect([path, headers.get('x-api-version'), headers.get('x-request-id')]).toEqual([path, version, 'mine']);
    }
  });

  it('goes on with the connection after a body too large', async () => {
    const { url } = await start();
    const large = await post(`${url}/client.config`, Buffer.alloc(1024 * 1024 + 1, ' '));
    expect([large.status, await codeIn(large)]).toEqual([413, 'body_too_large']);
    expect((await post(`${url}/client.config`)).status).toBe(200);
  });

  it('refuses what an operation does not declare', async () => {
    const { url } = await start();
    const wrongType = await post(`${url}/messages.send`, '{}', { 'content-type': 'text/plain' });
    expect([wrongType.status, await codeIn(wrongType)]).toEqual([415, 'unsupported_media_type']);
    const malformed = await post(`${url}/messages.send`, '{');
    expect([malformed.status, await codeIn(malformed)]).toEqual([400, 'malformed_json']);
  });

  it('survives a client that drops a refused upgrade', async () => {
    const { url } = await start();
    const upgrade = 'GET /nothing HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n';
    for (let n = 0; n < 20; n++) {
      const socket = connect(Number(new URL(url).port), '127.0.0.1');
      await once(socket, 'connect');
      socket.write(upgrade, () => socket.resetAndDestroy());
      await once(socket, 'close');
    }
    expect((await fetch(`${url}/health/live`)).status).toBe(200);
  });

  it('refuses an upgrade that nobody takes', async () => {
    const { url } = await start();
    const upgrade = 'GET /nothing HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n';
    expect(await raw(url, upgrade)).toMatch(/^HTTP\/1\.1 404 /);
  });

  it('answers HTTP that offers another protocol', async () => {
    const { url } = await start();
    const head = 'POST /client.config HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n';
    const offer =
      'Connection: Upgrade, HTTP2-Settings, close\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n\r\n';
    expect(await raw(url, head + offer)).toMatch(/^HTTP\/1\.1 200 /);
  });

  it('says why it is not ready', async () => {
    const { url } = await start({ health: [{ name: 'nats', problem: () => 'the connection is lost' }] });
    const ready = await fetch(`${url}/health/ready`);
    expect([ready.status, JSON.stringify(await ready.json())]).toEqual([503, expect.stringContaining('is lost')]);
    expect((await fetch(`${url}/health/live`)).status).toBe(200);
  });

  it('serves metrics on a port of their own', async () => {
    const { url, metricsUrl } = await start();
    expect(await (await fetch(metricsUrl)).text()).toContain('process_cpu_seconds_total');
    expect((await fetch(`${url}/metrics`)).status).toBe(404);
  });

  it('serves metrics elsewhere where their usual port is taken', async () => {
    await using _ = await listenTo(usualMetricsPort);
    const config = testConfig();
    const api = await start({ config: { ...config, server: { ...config.server, metricsPort: 'auto' } } });
    const port = Number(new URL(api.metricsUrl).port);
    expect(port).not.toBe(usualMetricsPort);
    expect((await fetch(api.metricsUrl)).status).toBe(200);
    expect(api.lines).toContainEqual({
      ...{ level: 'warn', event: 'metrics.port_taken' },
      fields: { taken: usualMetricsPort, port },
    });
  });

  it('starts on no other port than the one that was named', async () => {
    await using taken = await listenTo(0);
    const config = testConfig();
    const named = { ...config, server: { ...config.server, metricsPort: taken.port } };
    const api = new TestApi({ config: named });
    open.push(api);
    await expect(api.listen()).rejects.toThrow(/EADDRINUSE/);
  });
});

describe('cross-origin requests', () => {
  const origin = 'https://app.example';
  const allowed = (allowedOrigins: string[]) => start({ config: testConfig({ allowedOrigins }) });
  const preflight = (url: string) =>
    fetch(`${url}/messages.send`, { method: 'OPTIONS', headers: { origin, 'access-control-request-method': 'POST' } });

  it('are not allowed unless configured', async () => {
    const { url } = await allowed([]);
    expect((await preflight(url)).headers.get('access-control-allow-origin')).toBeNull();
  });

  it('come with credentials from a named origin', async () => {
    const { url } = await allowed([origin]);
    const { headers } = await preflight(url);
    expect(headers.get('access-control-allow-origin')).toBe(origin);
    expect(headers.get('access-control-allow-credentials')).toBe('true');
    expect(headers.get('access-control-allow-methods')).toBe('GET, POST, OPTIONS');
    expect(headers.get('access-control-max-age')).toBe('7200');
    expect(headers.get('vary')).toBe('Origin');
  });

  it('may read the documents and the health', async () => {
    const { url } = await allowed([origin]);
    for (const path of ['/openapi.json', '/health/ready']) {
      const { headers } = await fetch(url + path, { headers: { origin } });
      expect([path, headers.get('access-control-allow-origin')]).toEqual([path, origin]);
    }
  });

  it('come without credentials from anywhere', async () => {
    const { url } = await start({ config: testConfig({ allowedOrigins: ['*'], authentication: true }) });
    const { headers } = await post(`${url}/client.config`, null, { origin });
    expect(headers.get('access-control-allow-origin')).toBe('*');
    expect(headers.get('access-control-allow-credentials')).toBeNull();
  });
});

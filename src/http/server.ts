import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { getRequestListener } from '@hono/node-server';
import type { Logger } from '#actors/ports.ts';
import type { Config } from '#src/config/config.ts';
import { version } from '#src/version.ts';
import type { createApp } from './app.ts';
import type { Metrics } from '../metrics.ts';

/** Who takes WebSocket upgrades. */
export interface Upgrades {
  /** False when the path is not theirs. */
  handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): boolean;
}

export interface HttpServer {
  /** @throws Error with code EADDRINUSE when a port that was asked for is taken */
  listen(): Promise<{ url: string; metricsUrl: string }>;
  /** Takes no new connections and resolves when the running requests are answered, or after 4 s. */
  close(): Promise<void>;
}

const timeouts = { headers: 10_000, request: 30_000, keepAlive: 65_000, drain: 4_000 } as const;
const metricsHost = '127.0.0.1';
export const usualMetricsPort = 9464;
const notFound = 'HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n';

export interface HttpServerParts {
  app: ReturnType<typeof createApp>;
  metrics: Metrics;
  upgrades: Upgrades;
  log: Logger;
}

/** The sockets of a front. */
export function createHttpServer(settings: Config['server'], parts: HttpServerParts): HttpServer {
  const { app } = parts;
  const listener = getRequestListener((request, env) => app.fetch(request, env), { overrideGlobalObjects: true });
  const api = createServer(
    {
      requestTimeout: timeouts.request,
      headersTimeout: timeouts.headers,
      keepAliveTimeout: timeouts.keepAlive,
      // Other offers, such as h2c, are declined by answering in HTTP/1.1 (RFC 9110 §7.8).
      shouldUpgradeCallback: ({ headers }) => headers.upgrade?.toLowerCase() === 'websocket',
    },
    (request, response) => {
      // On everything, the documents and health too.
      response.setHeader('X-Api-Version', version);
      void listener(request, response);
    },
  );
  api.on('upgrade', (request, socket, head) => {
    if (parts.upgrades.handleUpgrade(request, socket, head)) return;
    // The socket is nobody's: without a listener, a client that resets it would end the process.
    socket.on('error', () => {});
    socket.end(notFound);
  });
  const metrics = createServer((request, response) => {
    if (request.url !== '/metrics') {
      response.writeHead(404).end();
      return;
    }
    void parts.metrics.registry.metrics().then((text) => {
      response.setHeader('Content-Type', parts.metrics.registry.contentType);
      response.end(text);
    });
  });
  return {
    async listen() {
      const port = await listening(api, settings.port, settings.host);
      const metricsPort = await metricsListening(metrics, settings.metricsPort, parts.log);
      const host = settings.host.includes(':') ? `[${settings.host}]` : settings.host;
      return { url: `http://${host}:${port}`, metricsUrl: `http://${metricsHost}:${metricsPort}/metrics` };
    },
    async close() {
      await Promise.all([drained(api), drained(metrics)]);
    },
  };
}

/** A second hub on a machine has its metrics elsewhere, unless somebody has said where they are to be found. */
async function metricsListening(server: Server, port: number | 'auto', log: Logger): Promise<number> {
  if (port !== 'auto') return listening(server, port, metricsHost);
  try {
    return await listening(server, usualMetricsPort, metricsHost);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    const free = await listening(server, 0, metricsHost);
    log.warn({ taken: usualMetricsPort, port: free }, 'metrics.port_taken');
    return free;
  }
}

async function listening(server: Server, port: number, host: string): Promise<number> {
  server.listen(port, host);
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

async function drained(server: Server): Promise<void> {
  if (!server.listening) return;
  const closed = once(server, 'close');
  server.close();
  server.closeIdleConnections();
  const late = setTimeout(() => server.closeAllConnections(), timeouts.drain);
  await closed;
  clearTimeout(late);
}

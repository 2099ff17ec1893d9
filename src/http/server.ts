import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { getRequestListener } from '@hono/node-server';
import { Failure } from '#actors/errors.ts';
import type { Ids, Logger } from '#actors/ports.ts';
import type { Config } from '#src/config/config.ts';
import type { Admission, Gate } from '#src/security/gate.ts';
import { version } from '#src/version.ts';
import type { createApp } from './app.ts';
import type { Metrics } from '../metrics.ts';
import { oneAtATime } from './one-at-a-time.ts';
import { answerUnlessRefused, upgradeUnlessRefused } from './refused.ts';

/** Who takes WebSocket upgrades. */
export interface Upgrades {
  /** False when the path is not theirs. @throws Failure */
  handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer, admission: Admission): boolean;
}

export interface HttpServer {
  /** @throws Error with code EADDRINUSE when a port that was asked for is taken */
  listen(): Promise<{ url: string; metricsUrl: string }>;
  /** Takes no new connections and resolves when the running requests are answered, or after 4 s. */
  close(): Promise<void>;
}

/** Bounds of the connections of the API; times in ms. */
export interface HttpLimits {
  /** Open at the same time; more are closed at once. */
  connections: number;
  /** Requests of one connection that wait behind the one at work; with more it is closed. */
  waiting: number;
  /** From the first byte of a request, or the connection's beginning, to the end of its head. */
  headers: number;
  /** From the same to the end of its body, the largest file's too; what is read as a whole has less (`bodies.ts`). */
  request: number;
  /** Between two requests. */
  keepAlive: number;
  /** Without a byte in either direction while a request is under way. */
  silence: number;
}

export const httpLimits: HttpLimits = {
  connections: 16_384,
  waiting: 8,
  headers: 10_000,
  request: 600_000,
  keepAlive: 65_000,
  silence: 60_000,
};

/** How late a bound on the time of a head or a body may be noticed, in ms. */
const lookEvery = 1_000;
const drainMs = 4_000;
const idleLookMs = 20;
const metricsHost = '127.0.0.1';
export const usualMetricsPort = 9464;

export interface HttpServerParts {
  app: ReturnType<typeof createApp>;
  metrics: Metrics;
  gate: Gate;
  ids: Ids;
  upgrades: Upgrades;
  log: Logger;
}

/** The sockets of a front. Whatever comes in through one of them passes the gate first. */
export function createHttpServer(
  settings: Config['server'],
  parts: HttpServerParts,
  limits: HttpLimits = httpLimits,
): HttpServer {
  const { app, gate } = parts;
  const listener = getRequestListener((request, env) => app.fetch(request, env), { overrideGlobalObjects: true });
  const api = createServer(
    {
      requestTimeout: limits.request,
      headersTimeout: limits.headers,
      keepAliveTimeout: limits.keepAlive,
      connectionsCheckingInterval: lookEvery,
      // Other offers, such as h2c, are declined by answering in HTTP/1.1 (RFC 9110 §7.8).
      shouldUpgradeCallback: ({ headers }) => headers.upgrade?.toLowerCase() === 'websocket',
    },
    oneAtATime(limits.waiting, (request, response) => {
      // On everything, the documents and health too.
      response.setHeader('X-Api-Version', version);
      response.setHeader('X-Content-Type-Options', 'nosniff');
      answerUnlessRefused(parts, request, response, () => {
        gate.admit('api', request);
        void listener(request, response);
      });
    }),
  );
  api.maxConnections = limits.connections;
  api.timeout = limits.silence;
  api.on('upgrade', (request, socket, head) => {
    upgradeUnlessRefused(parts, request, socket, () => {
      const admission = gate.admit('api', request);
      if (parts.upgrades.handleUpgrade(request, socket, head, admission)) return;
      throw new Failure('not_found', 'There is no WebSocket here. It is at /ws.communication.');
    });
  });
  const metrics = createServer((request, response) => {
    answerUnlessRefused(parts, request, response, () => {
      gate.admit('metrics', request);
      if (request.url !== '/metrics') throw new Failure('not_found', 'There is /metrics only.');
      void parts.metrics.registry.metrics().then((text) => {
        response.setHeader('Content-Type', parts.metrics.registry.contentType);
        response.end(text);
      });
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
  // One whose request is answered after the end was announced stays open otherwise, with nothing to do.
  const idle = setInterval(() => server.closeIdleConnections(), idleLookMs);
  const late = setTimeout(() => server.closeAllConnections(), drainMs);
  await closed;
  clearInterval(idle);
  clearTimeout(late);
}

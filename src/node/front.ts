import type { Hono } from 'hono';
import type { HttpBindings } from '@hono/node-server';
import { createApp } from '#src/http/app.ts';
import { Bodies } from '#src/http/bodies.ts';
import type { Operation } from '#src/http/operation.ts';
import { createHttpServer } from '#src/http/server.ts';
import { RequestQueues } from '#src/http/request-queues.ts';
import { createAuth } from '#src/security/auth.ts';
import { createGate } from '#src/security/gate.ts';
import { Sightings } from '#src/security/sightings.ts';
import type { Metrics } from '#src/metrics.ts';
import { communicationDoor } from '#src/realtime/communication.ts';
import { createFanOut } from '#src/realtime/fan-out.ts';
import { createRealtime, type Realtime, usualHeartBeat as heartBeat } from '#src/realtime/server.ts';
import { visitorDoor } from '#src/realtime/visitor/door.ts';
import { UpdateReceiver } from '#src/ingest/receiver.ts';
import type { Services } from '#src/services.ts';

/** Where a running hub answers. */
export interface HubAddresses {
  url: string;
  metricsUrl: string;
}

/** What faces clients. It can be used without a socket: by requests to `app` and sessions of `realtime`. */
export interface Front {
  app: Hono<{ Bindings: HttpBindings }>;
  realtime: Realtime;
  /** @throws Error with code EADDRINUSE when a port that was asked for is taken */
  listen(): Promise<HubAddresses>;
  /** Ends all sessions; takes no more requests and resolves when the running ones are answered, or after 4 s. */
  close(): Promise<void>;
}

/**
 * Puts together what faces clients: the HTTP API with its documents, and the WebSocket.
 * @param operations in the place of the table of the API, for tests
 */
export function createFront(services: Services, metrics: Metrics, operations?: readonly Operation[]): Front {
  const auth = createAuth(services, new Sightings(services));
  // That a socket is open says nothing new about who follows.
  const lookAgain = createAuth(services, { keyUsed() {}, userCalled() {} });
  const fanOut = createFanOut(services);
  const doors = [
    communicationDoor(services, fanOut, auth, { heartBeat, lookAgain }),
    visitorDoor(services, fanOut, heartBeat),
  ];
  const realtime = createRealtime({ ...services, fanOut, doors });
  metrics.gauge('parley_websocket_sessions', 'Open WebSocket sessions.', () => realtime.sessions());
  const gate = createGate(services.config);
  const sockets = realtime.paths;
  const shared = { bodies: new Bodies(), queues: new RequestQueues(services.clock) };
  const receiver = new UpdateReceiver(services, metrics);
  metrics.gauge(
    'parley_inbound_put_aside',
    'Updates that wait on the disk to be taken in.',
    () => services.raw.waiting,
  );
  const parts = { services, auth, metrics, gate, sockets, receiver, ...shared };
  const app = createApp({ ...parts, ...(operations && { operations }) });
  let server: ReturnType<typeof createHttpServer> | null = null;
  return {
    app,
    realtime,
    listen() {
      metrics.watchProcess();
      receiver.start(services.config.retention.raw);
      const { ids, log } = services;
      const parts = { app, metrics, gate, ids, log, upgrades: realtime };
      server = createHttpServer(services.config.server, parts);
      return server.listen();
    },
    async close() {
      await realtime.close();
      await server?.close();
      await receiver.stop();
    },
  };
}

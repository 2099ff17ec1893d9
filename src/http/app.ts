import { Hono } from 'hono';
import { Failure } from '#actors/errors.ts';
import type { UpdateReceiver } from '#src/ingest/receiver.ts';
import type { Gate } from '#src/security/gate.ts';
import { documentRoutes } from './documents/routes.ts';
import { Door, type Env, page, type Route, type Work } from './door.ts';
import { handle, type HandlerParts } from './handle.ts';
import { visitorPageRoutes } from './visitors/pages.ts';
import { healthRoutes } from './health.ts';
import { handleInbound } from './inbound-route.ts';
import { loginRoutes } from './login/routes.ts';
import { mediaRoute } from './media/serve.ts';
import type { Operation } from './operation.ts';
import { operations as table } from './operations.ts';
import { refusal } from './outgoing.ts';

export interface AppParts extends HandlerParts {
  gate: Gate;
  /** Takes in what platforms send. */
  receiver: UpdateReceiver;
  /** Paths that are WebSockets. */
  sockets: readonly string[];
  /** What it serves, unless it is the table of the API. */
  operations?: readonly Operation[];
}

/**
 * The API: a route for each operation of the table and for each address of a connector, its documents and its health.
 * @throws Error when a connector claims an address that the hub has itself
 */
export function createApp(parts: AppParts): Hono<Env> {
  const { services, gate, sockets, operations = table } = parts;
  const app = new Hono<Env>();
  const door = new Door(services);
  const own = [
    ...operations.flatMap((operation) => operationRoutes(parts, operation)),
    ...healthRoutes(services, gate),
    ...documentRoutes(services.config),
    ...loginRoutes(parts),
    mediaRoute(services),
    ...visitorPageRoutes(),
    ...sockets.map((path) => page(path, async () => onlyUpgrades(path))),
  ];
  const { connectors } = services;
  const claimed = connectors.routes.find(({ path }) => own.some((route) => route.path === path));
  if (claimed !== undefined) throw new Error(`a connector claims ${claimed.path}, which is the hub's own`);
  for (const route of own) door.mount(app, route);
  door.mountFound(app, (path) => inboundRoute(parts, path));
  app.notFound((c) =>
    door.refuse(c, new Failure('not_found', `There is no ${c.req.path}. See /docs for what there is.`)),
  );
  app.onError((error, c) => {
    services.log.error({ error }, 'http.failed');
    return door.refuse(c, new Failure('internal', 'The hub failed to handle this request.'));
  });
  return app;
}

function operationRoutes(parts: AppParts, operation: Operation): Route[] {
  const work: Work = (request, requestId) => handle(parts, operation, request, requestId);
  return [operation.path, ...(operation.aliases ?? [])].map((path) => ({ path, works: new Map([['POST', work]]) }));
}

/** What a connector that is on now has at a path; null: none has it. */
function inboundRoute(parts: AppParts, path: string): Route | null {
  const routes = parts.services.connectors.routes.filter((route) => route.path === path);
  if (routes.length === 0) return null;
  const works = routes.map((route): [string, Work] => [
    route.method,
    (request, requestId) => handleInbound(parts, route, request, requestId),
  ]);
  return { path, works: new Map(works) };
}

/** What a request gets that does not ask for a WebSocket where there is only one. */
const onlyUpgrades = (path: string) =>
  refusal(new Failure('upgrade_required', `${path} is a WebSocket: connect with a STOMP client. See /asyncapi.json.`), {
    Upgrade: 'websocket',
    Connection: 'Upgrade',
  });

import type { IncomingMessage } from 'node:http';
import type { HttpBindings } from '@hono/node-server';
import { type Context, Hono } from 'hono';
import { Failure } from '#actors/errors.ts';
import type { Services } from '#src/services.ts';
import { corsHeaders, isOwnHost } from './cors.ts';
import { documentRoutes } from './documents/routes.ts';
import { errorAnswer } from './errors.ts';
import { handle, type HandlerParts, type Outgoing, requestIdOf } from './handle.ts';
import { healthRoutes } from './health.ts';
import { handleInbound } from './inbound-route.ts';
import type { Operation } from './operation.ts';
import { operations as table } from './operations.ts';

type Env = { Bindings: HttpBindings };

export interface AppParts extends HandlerParts {
  /** What it serves, unless it is the table of the API. */
  operations?: readonly Operation[];
}

/** What answers to a method at a path. Never throws. */
type Work = (request: IncomingMessage, requestId: string) => Promise<Outgoing>;

/**
 * The API: a route for each operation of the table and for each address of a connector, its documents and its health.
 * @throws Error when a connector claims an address that the hub has itself
 */
export function createApp(parts: AppParts): Hono<Env> {
  const { services, operations = table } = parts;
  const app = new Hono<Env>();
  const door = createDoor(services);
  for (const operation of operations) {
    const work: Work = (request, requestId) => handle(parts, operation, request, requestId);
    for (const path of [operation.path, ...(operation.aliases ?? [])])
      mount(app, door, path, new Map([['POST', work]]));
  }
  app.route('/', healthRoutes(services));
  app.route('/', documentRoutes());
  const own = new Set(app.routes.map(({ path }) => path));
  for (const [path, routes] of Map.groupBy(services.connectors.routes, (route) => route.path)) {
    if (own.has(path)) throw new Error(`a connector claims ${path}, which is the hub's own`);
    const works = routes.map((route): [string, Work] => [
      route.method,
      (request, requestId) => handleInbound(parts, route, request, requestId),
    ]);
    mount(app, door, path, new Map(works));
  }
  app.notFound((c) =>
    door.refuse(c, new Failure('not_found', `There is no ${c.req.path}. See /docs for what there is.`)),
  );
  app.onError((error, c) => {
    services.log.error({ error }, 'http.failed');
    return door.refuse(c, new Failure('internal', 'The hub failed to handle this request.'));
  });
  return app;
}

/** How every answer leaves. */
interface Door {
  /** Answers with what the work makes of the request, unless it was meant for another host. */
  open(c: Context<Env>, work: Work): Promise<Response>;
  answer(c: Context<Env>, outgoing: Outgoing): Response;
  refuse(c: Context<Env>, failure: Failure, headers?: Record<string, string>): Response;
}

function createDoor(services: Services): Door {
  const respond = (c: Context<Env>, requestId: string, { status, body, headers }: Outgoing): Response => {
    const all: Record<string, string> = {
      ...corsHeaders(services.config, c.env.incoming.headers.origin),
      ...(body !== null && { 'Content-Type': 'application/json' }),
      ...headers,
      'X-Request-Id': requestId,
    };
    return new Response(body, { status, headers: all });
  };
  const refuse = (c: Context<Env>, failure: Failure, headers: Record<string, string> = {}): Response => {
    const failed = errorAnswer(failure);
    const body = JSON.stringify(failed.body);
    return respond(c, requestIdOf(c.env.incoming.headers, services), { ...failed, body, headers });
  };
  return {
    async open(c, work) {
      const { incoming } = c.env;
      if (!isOwnHost(services.config, incoming.headers)) return refuse(c, foreignHost());
      const requestId = requestIdOf(incoming.headers, services);
      return respond(c, requestId, await work(incoming, requestId));
    },
    answer: (c, outgoing) => respond(c, requestIdOf(c.env.incoming.headers, services), outgoing),
    refuse,
  };
}

/** Everything that may come to a path: its methods, the question which they are, and other methods. */
function mount(app: Hono<Env>, door: Door, path: string, works: ReadonlyMap<string, Work>): void {
  const methods = [...works.keys()];
  const Allow = [...methods, 'OPTIONS'].join(', ');
  for (const [method, work] of works) app.on(method, path, (c) => door.open(c, work));
  app.options(path, (c) => door.answer(c, { status: 204, body: null, headers: { Allow } }));
  const failure = new Failure('method_not_allowed', `${path} takes ${methods.join(' and ')} only.`);
  app.all(path, (c) => door.refuse(c, failure, { Allow }));
}

const foreignHost = (): Failure =>
  new Failure('forbidden', 'The Host header names no host of this hub. Set server.publicUrl to the name it has.');

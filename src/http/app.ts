import type { HttpBindings } from '@hono/node-server';
import { type Context, Hono } from 'hono';
import { Failure } from '#actors/errors.ts';
import { corsHeaders, isOwnHost } from './cors.ts';
import { documentRoutes } from './documents/routes.ts';
import { errorAnswer } from './errors.ts';
import { handle, type HandlerParts, type Outgoing, requestIdOf } from './handle.ts';
import { healthRoutes } from './health.ts';
import type { Operation } from './operation.ts';
import { operations as table } from './operations.ts';

type Env = { Bindings: HttpBindings };

export interface AppParts extends HandlerParts {
  /** What it serves, unless it is the table of the API. */
  operations?: readonly Operation[];
}

/** The API: a route for each operation of the table, its documents and its health. */
export function createApp(parts: AppParts): Hono<Env> {
  const { services, operations = table } = parts;
  const app = new Hono<Env>();

  const respond = (c: Context<Env>, requestId: string, { status, body, headers }: Outgoing): Response => {
    const all: Record<string, string> = {
      ...corsHeaders(services.config, c.env.incoming.headers.origin),
      ...headers,
      'X-Request-Id': requestId,
    };
    if (body !== null) all['Content-Type'] = 'application/json';
    return new Response(body, { status, headers: all });
  };
  const refuse = (c: Context<Env>, failure: Failure, headers: Record<string, string> = {}): Response => {
    const failed = errorAnswer(failure);
    const body = JSON.stringify(failed.body);
    return respond(c, requestIdOf(c.env.incoming.headers, services), { ...failed, body, headers });
  };

  for (const operation of operations) {
    for (const path of [operation.path, ...(operation.aliases ?? [])]) {
      app.post(path, async (c) => {
        const { incoming } = c.env;
        if (!isOwnHost(services.config, incoming.headers)) return refuse(c, foreignHost());
        const requestId = requestIdOf(incoming.headers, services);
        return respond(c, requestId, await handle(parts, operation, incoming, requestId));
      });
      app.options(path, (c) => {
        const none = { status: 204, body: null, headers: { Allow: 'POST, OPTIONS' } };
        return respond(c, requestIdOf(c.env.incoming.headers, services), none);
      });
      app.all(path, (c) =>
        refuse(c, new Failure('method_not_allowed', `${path} takes POST only.`), { Allow: 'POST, OPTIONS' }),
      );
    }
  }
  app.route('/', healthRoutes(services));
  app.route('/', documentRoutes());
  app.notFound((c) => refuse(c, new Failure('not_found', `There is no ${c.req.path}. See /docs for what there is.`)));
  app.onError((error, c) => {
    services.log.error({ error }, 'http.failed');
    return refuse(c, new Failure('internal', 'The hub failed to handle this request.'));
  });
  return app;
}

const foreignHost = (): Failure =>
  new Failure('forbidden', 'The Host header names no host of this hub. Set server.publicUrl to the name it has.');

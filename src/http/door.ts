import type { IncomingMessage } from 'node:http';
import type { HttpBindings } from '@hono/node-server';
import type { Context, Hono } from 'hono';
import { Failure } from '#actors/errors.ts';
import type { Services } from '#src/services.ts';
import { corsHeaders, isOwnHost } from './cors.ts';
import { requestIdOf } from './handle.ts';
import { type Outgoing, refusal } from './outgoing.ts';

export type Env = { Bindings: HttpBindings };

/** An answer as it leaves: its body may be the bytes of a file. */
export interface Served extends Omit<Outgoing, 'body'> {
  body: string | Uint8Array<ArrayBuffer> | null;
}

/** What answers to a method at a path. */
export type Work = (request: IncomingMessage, requestId: string) => Promise<Served>;

/** What answers at one path: method → work. */
export interface Route {
  path: string;
  works: ReadonlyMap<string, Work>;
  /** Whatever name the request gives the hub: for who only asks whether it is well. */
  anyHost?: boolean;
}

/** An address that is only read. */
export const page = (path: string, work: Work): Route => ({ path, works: new Map([['GET', work]]) });

/** How every answer leaves, whatever it is: with a request id, and the headers that let pages of other origins read it. */
export class Door {
  readonly #services: Services;

  constructor(services: Services) {
    this.#services = services;
  }

  /** Everything that may come to a path: its methods, the question which they are, and other methods. */
  mount(app: Hono<Env>, { path, works, anyHost = false }: Route): void {
    const methods = [...works.keys()];
    const heads = methods.includes('GET') ? ['HEAD'] : [];
    const Allow = [...methods, ...heads, 'OPTIONS'].join(', ');
    for (const [method, work] of works) app.on(method, path, (c) => this.#open(c, work, anyHost));
    app.options(path, (c) => this.#answer(c, { status: 204, body: null, headers: { Allow } }));
    const failure = new Failure('method_not_allowed', `${path} takes ${methods.join(' and ')} only.`);
    app.all(path, (c) => this.refuse(c, failure, { Allow }));
  }

  refuse(c: Context<Env>, failure: Failure, headers: Record<string, string> = {}): Response {
    return this.#answer(c, refusal(failure, headers));
  }

  /** Answers with what the work makes of the request, unless it was meant for another host. */
  async #open(c: Context<Env>, work: Work, anyHost: boolean): Promise<Response> {
    const { incoming } = c.env;
    if (!anyHost && !isOwnHost(this.#services.config, incoming.headers)) return this.refuse(c, foreignHost());
    const requestId = requestIdOf(incoming.headers, this.#services);
    return this.#respond(c, requestId, await work(incoming, requestId));
  }

  #answer(c: Context<Env>, reply: Served): Response {
    return this.#respond(c, requestIdOf(c.env.incoming.headers, this.#services), reply);
  }

  #respond(c: Context<Env>, requestId: string, { status, body, headers }: Served): Response {
    const all: Record<string, string> = {
      ...corsHeaders(this.#services.config, c.env.incoming.headers.origin),
      ...(body !== null && { 'Content-Type': 'application/json' }),
      ...headers,
      'X-Request-Id': requestId,
    };
    return new Response(body, { status, headers: all });
  }
}

const foreignHost = (): Failure =>
  new Failure('forbidden', 'The Host header names no host of this hub. Set server.publicUrl to the name it has.');

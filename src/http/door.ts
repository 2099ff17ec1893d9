import type { IncomingMessage } from 'node:http';
import type { HttpBindings } from '@hono/node-server';
import type { Context, Hono } from 'hono';
import { Failure } from '#actors/errors.ts';
import type { Services } from '#src/services.ts';
import { corsHeaders } from './cors.ts';
import { requestIdOf } from './handle.ts';
import { type Outgoing, refusal } from './outgoing.ts';

export type Env = { Bindings: HttpBindings };

/** An answer as it leaves: its body may be the bytes of a file, or a file as it is read. */
export interface Served extends Omit<Outgoing, 'body'> {
  body: string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array<ArrayBuffer>> | null;
}

/** What answers to a method at a path. */
export type Work = (request: IncomingMessage, requestId: string) => Promise<Served>;

/** What answers at one path: method → work. */
export interface Route {
  path: string;
  works: ReadonlyMap<string, Work>;
}

/** An address that is only read. */
export const page = (path: string, work: (request: IncomingMessage) => Promise<Served>): Route => ({
  path,
  works: new Map([['GET', work]]),
});

/** What names a request, and says which pages may read its answer. */
type DoorServices = Pick<Services, 'config' | 'ids'>;

/** How every answer leaves, whatever it is: with a request id, and the headers that let pages of other origins read it. */
export class Door {
  readonly #services: DoorServices;

  constructor(services: DoorServices) {
    this.#services = services;
  }

  mount(app: Hono<Env>, route: Route): void {
    app.all(route.path, (c) => this.#meet(c, route));
  }

  /** Whatever is mounted nowhere, behind everything that is: routes that come and go. */
  mountFound(app: Hono<Env>, find: (path: string) => Route | null): void {
    app.all('*', (c, next) => {
      const route = find(c.req.path);
      return route === null ? next() : this.#meet(c, route);
    });
  }

  refuse(c: Context<Env>, failure: Failure, headers: Record<string, string> = {}): Response {
    return this.#answer(c, refusal(failure, headers));
  }

  /** Everything that may come to a path: its methods, the question which they are, and other methods. */
  #meet(c: Context<Env>, { works }: Route): Response | Promise<Response> {
    // The answer to HEAD is that to GET, without its body.
    const work = works.get(c.req.method === 'HEAD' ? 'GET' : c.req.method);
    if (work !== undefined) return this.#open(c, work);
    const methods = [...works.keys()];
    const heads = methods.includes('GET') ? ['HEAD'] : [];
    const Allow = [...methods, ...heads, 'OPTIONS'].join(', ');
    if (c.req.method === 'OPTIONS') return this.#answer(c, { status: 204, body: null, headers: { Allow } });
    const failure = new Failure('method_not_allowed', `${c.req.path} takes ${methods.join(' and ')} only.`);
    return this.refuse(c, failure, { Allow });
  }

  /** Answers with what the work makes of the request. */
  async #open(c: Context<Env>, work: Work): Promise<Response> {
    const { incoming } = c.env;
    const requestId = requestIdOf(incoming.headers, this.#services);
    return this.#respond(c, requestId, await work(incoming, requestId));
  }

  #answer(c: Context<Env>, reply: Served): Response {
    return this.#respond(c, requestIdOf(c.env.incoming.headers, this.#services), reply);
  }

  #respond(c: Context<Env>, requestId: string, { status, body, headers }: Served): Response {
    const all: Record<string, string> = {
      ...corsHeaders(this.#services.config, c.env.incoming),
      ...(body !== null && { 'Content-Type': 'application/json' }),
      ...headers,
      'X-Request-Id': requestId,
    };
    return new Response(body, { status, headers: all });
  }
}

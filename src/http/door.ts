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

  /** Everything that may come to a path: its methods, the question which they are, and other methods. */
  mount(app: Hono<Env>, { path, works }: Route): void {
    const methods = [...works.keys()];
    const heads = methods.includes('GET') ? ['HEAD'] : [];
    const Allow = [...methods, ...heads, 'OPTIONS'].join(', ');
    for (const [method, work] of works) app.on(method, path, (c) => this.#open(c, work));
    app.options(path, (c) => this.#answer(c, { status: 204, body: null, headers: { Allow } }));
    const only = `takes ${methods.join(' and ')} only.`;
    app.all(path, (c) => this.refuse(c, new Failure('method_not_allowed', `${c.req.path} ${only}`), { Allow }));
  }

  refuse(c: Context<Env>, failure: Failure, headers: Record<string, string> = {}): Response {
    return this.#answer(c, refusal(failure, headers));
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
      ...corsHeaders(this.#services.config, c.env.incoming.headers.origin),
      ...(body !== null && { 'Content-Type': 'application/json' }),
      ...headers,
      'X-Request-Id': requestId,
    };
    return new Response(body, { status, headers: all });
  }
}

import type { HttpBindings } from '@hono/node-server';
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { Front } from '#src/node/front.ts';
import { assertDocumented } from '../_support/documented-answers.ts';
import type { HubProcess } from './node.ts';

/** What a client sends: always a POST with JSON. */
export interface HttpRequest {
  path: string;
  /** JSON text. */
  body: string;
  headers: Record<string, string>;
}

/** What a client gets. */
export interface HttpAnswer {
  status: number;
  /** Lower-case names. */
  headers: Record<string, string>;
  /** The value of the JSON body; null without one. */
  body: unknown;
}

/** The part of Node's request that the hub reads; its body comes from memory. */
class SocketlessRequest extends Readable {
  readonly headers: Record<string, string>;
  readonly complete = true;
  #body: Buffer | null;

  constructor({ body, headers }: HttpRequest) {
    super();
    this.#body = Buffer.from(body);
    this.headers = { host: 'localhost', 'content-type': 'application/json', ...headers };
  }

  override _read(): void {
    if (this.#body !== null && this.#body.length > 0) this.push(this.#body);
    this.#body = null;
    this.push(null);
  }
}

/**
 * Sends a request through the whole chain of the HTTP API, without a socket and without anything that takes time.
 * @returns null when the hub is dead, or died before it answered
 * @throws Error when the answer is not as documented
 */
export function request({ process, front }: HubProcess, sent: HttpRequest): Promise<HttpAnswer | null> {
  if (!process.alive) return Promise.resolve(null);
  const died = new Promise<null>((resolve) => process.onDeath(() => resolve(null)));
  return Promise.race([answerOf(front.app, sent), died]);
}

async function answerOf(app: Front['app'], sent: HttpRequest): Promise<HttpAnswer> {
  const incoming = new SocketlessRequest(sent) as unknown as IncomingMessage;
  // What the hub reads of the request it reads from Node's own.
  const outer = new Request(`http://localhost${sent.path}`, { method: 'POST' });
  const response = await app.fetch(outer, { incoming } as HttpBindings);
  const text = await response.text();
  const body: unknown = text === '' ? null : JSON.parse(text);
  assertDocumented(sent.path, response.status, body);
  return { status: response.status, headers: Object.fromEntries(response.headers), body };
}

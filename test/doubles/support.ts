import { createServer, type IncomingHttpHeaders } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { expect, onTestFinished } from 'vitest';
import type { Behaviour } from '#src/doubles/behaviour.ts';
import { makeDouble } from '#src/doubles/platforms.ts';
import { startDouble } from '#src/doubles/server.ts';
import { simulatedSources } from '#src/doubles/sources.ts';

/** A webhook as it arrived. */
export interface Arrived {
  url: string;
  headers: IncomingHttpHeaders;
  body: string;
}

interface StandIn {
  url: string;
  arrived: Arrived[];
  /** Waits until so many webhooks are there. */
  until(count: number): Promise<Arrived[]>;
}

/** An HTTP server in the place of the hub, that takes every webhook. @param answers statuses of the first ones */
async function hubStandIn(answers: number[]): Promise<StandIn> {
  const arrived: Arrived[] = [];
  let came = Promise.withResolvers<void>();
  const server = createServer(async (request, response) => {
    const body = (await buffer(request)).toString();
    arrived.push({ url: request.url ?? '', headers: request.headers, body });
    const challenge = new URL(request.url ?? '', 'http://hub').searchParams.get('hub.challenge');
    response.writeHead(answers.shift() ?? 200).end(challenge ?? JSON.parse(body.startsWith('{') ? body : '{}').secret);
    came.resolve();
    came = Promise.withResolvers();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    arrived,
    async until(count) {
      while (arrived.length < count) await came.promise;
      return arrived;
    },
  };
}

interface Options {
  credentials?: object;
  behaviour?: Partial<Behaviour>;
  /** What the hub answers the first webhooks with. */
  answers?: number[];
  publicUrl?: string;
}

/** A double of a source, in this process, with a stand-in for its hub. */
export async function doubleOf(source: string, { behaviour = {}, ...options }: Options = {}) {
  const hub = await hubStandIn(options.answers ?? []);
  const simulated = simulatedSources.find((one) => one.source === source)!;
  const double = await startDouble({
    ...{ port: 0, hub: { url: hub.url, publicUrl: options.publicUrl ?? hub.url }, behaviour },
    make: (tools) => makeDouble(simulated, options.credentials ?? null, tools),
  });
  onTestFinished(() => double[Symbol.asyncDispose]());
  const call = async (path: string, init: RequestInit = {}) => {
    const answer = await fetch(path.startsWith('http') ? path : double.url + path, init);
    const text = await answer.text();
    const isJson = answer.headers.get('content-type')?.startsWith('application/json') ?? false;
    return { status: answer.status, body: isJson ? JSON.parse(text) : text };
  };
  const asJson = (body: object, headers: Record<string, string> = {}): RequestInit => ({
    ...{ method: 'POST', headers: { 'Content-Type': 'application/json', ...headers }, body: JSON.stringify(body) },
  });
  return {
    ...{ hub, call, asJson, url: double.url, ...double.introduction },
    /** Asks the double's own control. */
    async control(path: string, body?: object) {
      const answer = await call(`/_control/${path}`, body && asJson(body));
      expect(answer.status, JSON.stringify(answer.body)).toBe(200);
      return answer.body;
    },
  };
}

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { percentile } from '../statistics.ts';

/** What the receiver has seen since it forgot. */
export interface Received {
  count: number;
  /** Epoch ms of the first and the last one, fractions included. */
  from: number;
  to: number;
  /** From the time of the event to its receipt, in ms. */
  latency: { p50: number; p99: number; max: number };
}

/** Answers every POST with 200, as fast as Node does. `GET /count` tells how many came, `GET /` all and forgets it. */
let ages: number[] = [];
let from = 0;
let to = 0;
const now = (): number => performance.timeOrigin + performance.now();
/** In an event the time stands behind the payload. */
const timestamp = /"timestamp":(\d{13}),"seq"/;

const server = createServer(async (request, response) => {
  if (request.url === '/count') {
    response.end(String(ages.length));
    return;
  }
  if (request.method === 'GET') {
    const sorted = Float64Array.from(ages).sort();
    const latency = { p50: percentile(sorted, 0.5), p99: percentile(sorted, 0.99), max: sorted.at(-1) ?? 0 };
    response.end(JSON.stringify({ count: ages.length, from, to, latency } satisfies Received));
    ages = [];
    return;
  }
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  to = now();
  if (ages.length === 0) from = to;
  ages.push(to - Number(timestamp.exec(Buffer.concat(chunks).toString())?.[1] ?? to));
  response.end();
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1');
await once(server, 'listening');
console.log(
  JSON.stringify({ msg: 'receiver.ready', url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }),
);

import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';

/** What is asked of it. */
export interface StrangersOptions {
  url: string;
  connections: number;
}

/**
 * Connections without a credential that cost what they can, in a process of its own: reads its options as a line of
 * JSON from standard input, says `ready` when all are open, and goes on until the input ends. A connection that turns
 * out to be closed is opened again.
 */

const againAfter = 1_000;
const dripEvery = 100;
const pipelineEvery = 1_000;
const document = '/docs/swagger-ui-bundle.js';
const pipelined = 64;
const longBody = 1024 * 1024;

const input = createInterface(process.stdin);
const [options] = (await once(input, 'line')) as [string];
const { url, connections } = JSON.parse(options) as StrangersOptions;
const { hostname, port, host } = new URL(url);
const head = (line: string, more = ''): string => `${line} HTTP/1.1\r\nHost: ${host}\r\n${more}`;
const bodyHead = head('POST /client.config', `Content-Type: application/json\r\nContent-Length: ${longBody}\r\n\r\n`);
const almost = Buffer.alloc(longBody - 1, ' ');

/** Who does not read notices the end of a connection by what it writes. */
function repeat(socket: Socket, part: string, every: number): void {
  const timer = setInterval(() => socket.write(part), every);
  socket.on('close', () => clearInterval(timer));
}

/** What a stranger does with its connection. None of them reads. */
const ways: ((socket: Socket) => void)[] = [
  (socket) => {
    const requests = `${head(`GET ${document}`)}\r\n`.repeat(pipelined);
    socket.write(requests);
    repeat(socket, requests, pipelineEvery);
  },
  (socket) => {
    socket.write(head('POST /client.config'));
    repeat(socket, 'X: y\r\n', dripEvery);
  },
  (socket) => {
    socket.write(bodyHead);
    repeat(socket, ' ', dripEvery);
  },
  (socket) => {
    socket.write(bodyHead);
    socket.write(almost);
  },
  () => {},
];

function open(n: number): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname, () => {
      ways[n % ways.length]!(socket);
      resolve();
    });
    socket.pause();
    socket.on('error', () => {});
    socket.on('close', () => setTimeout(() => void open(n), againAfter));
  });
}

// Spread over a while, as they are of many owners.
await Promise.all(
  Array.from({ length: connections }, (_, n) => wait((n / connections) * againAfter).then(() => open(n))),
);
console.log('ready');
input.once('close', () => process.exit());

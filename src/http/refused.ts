import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { Failure } from '#actors/errors.ts';
import type { Services } from '#src/services.ts';
import { version } from '#src/version.ts';
import { requestIdOf } from './handle.ts';
import { refusal } from './outgoing.ts';

/** What names the request of an answer. */
type Names = Pick<Services, 'ids'>;

/** Does what answers a request. A Failure that it throws is the answer. */
export function answerUnlessRefused(
  names: Names,
  request: IncomingMessage,
  response: ServerResponse,
  work: () => void,
): void {
  try {
    work();
  } catch (error) {
    const { status, headers, text } = answerTo(names, request, error);
    response.writeHead(status, headers).end(text);
  }
}

/** Does what takes a socket. A Failure that it throws is the answer, and the socket ends with it. */
export function upgradeUnlessRefused(names: Names, request: IncomingMessage, socket: Duplex, work: () => void): void {
  try {
    work();
  } catch (error) {
    const { status, headers, text } = answerTo(names, request, error);
    const all = { ...headers, 'X-Api-Version': version, Connection: 'close' };
    const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
    // The socket is nobody's: without a listener, a client that resets it would end the process.
    socket.on('error', () => {});
    socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${text}`);
  }
}

/** @throws what is no Failure: a defect */
function answerTo(
  names: Names,
  request: IncomingMessage,
  error: unknown,
): { status: number; headers: Record<string, string>; text: string } {
  if (!(error instanceof Failure)) throw error;
  const { status, headers, body } = refusal(error);
  const text = body ?? '';
  const own = {
    'Content-Type': 'application/json',
    'Content-Length': String(Buffer.byteLength(text)),
    'X-Request-Id': requestIdOf(request.headers, names),
  };
  return { status, headers: { ...headers, ...own }, text };
}

import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Who waits on a connection behind the request at work. */
type Waiting = [request: IncomingMessage, response: ServerResponse][];

/**
 * Handles the requests of a connection one after the other: those of a client that pipelines and does not read would
 * all have their answers in memory. Where more than `most` wait the connection ends, which HTTP allows: a client that
 * pipelines asks again for what was not answered (RFC 9112 §9.3.2).
 */
export function oneAtATime(most: number, handle: RequestListener): RequestListener {
  /** Of connections with a request at work. */
  const lines = new WeakMap<Socket, Waiting>();

  const begin = (socket: Socket, request: IncomingMessage, response: ServerResponse): void => {
    response.once('close', () => {
      const next = lines.get(socket)?.shift();
      if (next === undefined || socket.destroyed) lines.delete(socket);
      else begin(socket, ...next);
    });
    handle(request, response);
  };

  return (request, response) => {
    const { socket } = request;
    // The parser gives out all of what has come in, also after the end.
    if (socket.destroyed) return;
    const line = lines.get(socket);
    if (line === undefined) {
      lines.set(socket, []);
      begin(socket, request, response);
    } else if (line.length < most) line.push([request, response]);
    else socket.destroy();
  };
}

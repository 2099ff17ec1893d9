import http from 'node:http';
import net, { type AddressInfo } from 'node:net';

/** A real HTTP server on a loopback port that keeps what reaches it. */
export interface Receiver extends AsyncDisposable {
  port: number;
  /** Sockets opened so far. */
  readonly sockets: number;
  readonly requests: { method: string; path: string; headers: http.IncomingHttpHeaders; body: Buffer }[];
}

export async function startReceiver(
  answer: (response: http.ServerResponse, path: string) => void = (response) => response.end('ok'),
  host?: string,
): Promise<Receiver> {
  const requests: Receiver['requests'] = [];
  let sockets = 0;
  const server = http.createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { method = '', url = '', headers } = request;
    requests.push({ method, path: url, headers, body: Buffer.concat(chunks) });
    answer(response, url);
  });
  server.on('connection', () => {
    sockets += 1;
  });
  const port = await listen(server, host);
  return {
    port,
    requests,
    get sockets() {
      return sockets;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

/** A bare TCP server: `onData` sees what the client says first. */
export async function startListener(
  onData: (data: Buffer, socket: net.Socket) => void,
): Promise<AsyncDisposable & { port: number }> {
  const open = new Set<net.Socket>();
  const server = net.createServer((socket) => {
    open.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('data', (data) => onData(Buffer.from(data), socket));
  });
  const port = await listen(server, '127.0.0.1');
  return {
    port,
    async [Symbol.asyncDispose]() {
      for (const socket of open) socket.destroy();
      await new Promise((done) => server.close(done));
    },
  };
}

/** Without a host the server listens on every address of the machine, IPv4 and IPv6. */
async function listen(server: net.Server, host?: string): Promise<number> {
  await new Promise<void>((done) => server.listen(0, host, done));
  return (server.address() as AddressInfo).port;
}

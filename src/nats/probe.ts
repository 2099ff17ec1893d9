import { connect, createServer } from 'node:net';

/**
 * The name of the NATS server that answers on a loopback port, from the `INFO` line that it opens with
 * (NATS client protocol). Null when nothing or something else answers within `timeoutMs`.
 */
export function probeServerName(port: number, timeoutMs: number): Promise<string | null> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port });
    const end = (name: string | null): void => {
      socket.destroy();
      resolve(name);
    };
    let text = '';
    socket.setEncoding('utf8');
    socket.setTimeout(timeoutMs, () => end(null));
    socket.on('error', () => end(null));
    socket.on('close', () => end(null));
    socket.on('data', (part) => {
      text += part;
      if (text.includes('\n')) end(/^INFO .*"server_name":"([^"]*)"/.exec(text)?.[1] ?? null);
    });
  });
}

/** A loopback port that is free now. It can be taken before it is used; who uses it must notice. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() =>
        address && typeof address === 'object' ? resolve(address.port) : reject(new Error('no port was given')),
      );
    });
  });
}

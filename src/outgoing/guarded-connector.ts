import type { Socket } from 'node:net';
import { buildConnector } from 'undici';
import { AddressNotAllowed, type AddressGuard } from './address-guard.ts';

/** Addresses of one host that are tried, one after the other, before a connection has failed. */
const triedAddresses = 4;
const defaultPorts = { 'http:': 80, 'https:': 443 } as const;

export class ConnectTimeout extends Error {
  override readonly name = 'ConnectTimeout';

  constructor() {
    super('no connection in time');
  }
}

/** The connection stands, but no trusted TLS session came about. */
export class TlsFailure extends Error {
  override readonly name = 'TlsFailure';

  constructor() {
    super('the TLS handshake failed');
  }
}

/**
 * An undici connector that looks a host up once, lets the guard judge every answer, and connects to exactly such an
 * address: there is no second lookup that could answer differently. Literals pass the same way, since a `lookup`
 * option is never called for them. `connectTimeoutMs` covers lookup, TCP and TLS together.
 */
export function guardedConnector(guard: AddressGuard, connectTimeoutMs: number): buildConnector.connector {
  const connect = buildConnector({ timeout: connectTimeoutMs, allowH2: false });

  async function open(options: buildConnector.Options): Promise<Socket> {
    const deadline = performance.now() + connectTimeoutMs;
    const found = await within(connectTimeoutMs, guard.addressesOf(options.hostname, portOf(options)));
    const addresses = found.slice(0, triedAddresses);
    let failure: unknown;
    for (const [index, address] of addresses.entries()) {
      // A silent address must leave time for the ones behind it.
      const share = (deadline - performance.now()) / (addresses.length - index);
      try {
        return await openOne(options, address, share);
      } catch (error) {
        if (error instanceof AddressNotAllowed) throw error;
        failure = error;
      }
    }
    throw failure;
  }

  async function openOne(options: buildConnector.Options, address: string, timeoutMs: number): Promise<Socket> {
    const socket = await within(
      timeoutMs,
      new Promise<Socket>((done, fail) => {
        connect({ ...options, hostname: address }, (error, opened) => {
          if (error) fail(reasonOf(error, options.protocol));
          else done(opened);
        });
      }),
      (late) => late.destroy(),
    );
    if (guard.allows(socket.remoteAddress ?? '', portOf(options))) return socket;
    socket.destroy();
    throw new AddressNotAllowed();
  }

  return (options, callback) => {
    open(options).then(
      (socket) => callback(null, socket),
      (error: Error) => callback(error, null),
    );
  };
}

const portOf = ({ port, protocol }: buildConnector.Options): number =>
  port === '' ? defaultPorts[protocol as keyof typeof defaultPorts] : Number(port);

/** The result of `work`, or ConnectTimeout after `timeoutMs`; a result that comes later is handed to `discard`. */
function within<T>(timeoutMs: number, work: Promise<T>, discard?: (late: T) => void): Promise<T> {
  return new Promise((done, fail) => {
    let over = false;
    const timer = setTimeout(
      () => {
        over = true;
        fail(new ConnectTimeout());
      },
      Math.max(0, timeoutMs),
    );
    work
      .then((value) => (over ? discard?.(value) : done(value)), fail)
      .finally(() => {
        clearTimeout(timer);
      });
  });
}

function reasonOf(error: Error, protocol: string): Error {
  const { code = '', syscall = '' } = error as NodeJS.ErrnoException;
  if (code === 'UND_ERR_CONNECT_TIMEOUT') return new ConnectTimeout();
  const isNetwork = syscall === 'connect' || error instanceof AggregateError || code === 'ECONNRESET';
  return protocol === 'https:' && !isNetwork ? new TlsFailure() : error;
}

import type { IncomingMessage } from 'node:http';
import type { Config } from '#src/config/config.ts';
import { type NetworkSet, parseNetworks } from '#src/outgoing/address-guard.ts';

const known = new WeakMap<readonly string[], NetworkSet>();

function networksOf({ trustedProxies }: Config['server']): NetworkSet {
  const networks = known.get(trustedProxies) ?? parseNetworks(trustedProxies);
  known.set(trustedProxies, networks);
  return networks;
}

/**
 * The address of whoever made a request: that of the connection, or before proxies that are trusted the nearest one in
 * `X-Forwarded-For` that is none of them. What stands further away anybody may have written.
 */
export function clientAddress(server: Config['server'], { socket, headers }: IncomingMessage): string {
  const trusted = networksOf(server);
  const forwarded = [headers['x-forwarded-for'] ?? []].flat().join(',');
  const hops = forwarded.split(',').flatMap((hop) => withoutPort(hop.trim()) || []);
  let address = socket?.remoteAddress ?? '';
  while (trusted.has(address) && hops.length > 0) address = hops.pop()!;
  return address;
}

/** Some proxies name the port, too: it is another one for each connection. An address of IPv6 has brackets then. */
const withoutPort = (hop: string): string => hop.replace(/^\[(.*)\](?::\d+)?$|^([\d.]+):\d+$/, '$1$2');

import { lookup } from 'node:dns/promises';
import net from 'node:net';
import { networkInterfaces } from 'node:os';

/** One address of a host, as `node:dns` answers it. */
export interface ResolvedAddress {
  address: string;
  /** 4 or 6. */
  family: number;
}

export type Resolve = (hostname: string) => Promise<ResolvedAddress[]>;

/** A set of networks. IPv4 and IPv6 never mix: `::/0` holds no IPv4 address, and a v4-mapped address counts as IPv4. */
export interface NetworkSet {
  has(address: string): boolean;
}

/** The one refusal of the guard. It says neither which address nor why, so that nobody can map an inner network. */
export class AddressNotAllowed extends Error {
  override readonly name = 'AddressNotAllowed';

  constructor() {
    super('the address is not allowed');
  }
}

/** The name has no address (an unknown name, or a resolver that does not answer). */
export class Unresolved extends Error {
  override readonly name = 'Unresolved';

  constructor() {
    super('the name of the host has no address');
  }
}

/**
 * What outgoing calls never reach: the special-purpose registries of IANA for IPv4 and IPv6 (RFC 6890 and its
 * updates), and every IPv6 address outside global unicast 2000::/3. Ranges that carry an IPv4 address inside
 * (NAT64, 6to4, Teredo) are refused as a whole.
 */
const specialNetworks = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  '::/3',
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  '2620:4f:8000::/48',
  '3fff::/20',
  '4000::/2',
  '8000::/1',
];

/** IPv4 text for IPv4 and v4-mapped addresses, else the shortest IPv6 text without a zone; null: not an address. */
function canonical(address: string): string | null {
  const bare = address.replace(/%.*$/s, '');
  if (net.isIPv4(bare)) return bare;
  if (!net.isIPv6(bare)) return null;
  const text = new URL(`http://[${bare}]`).hostname.slice(1, -1);
  const mapped = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(text);
  if (!mapped) return text;
  const [high, low] = [Number.parseInt(mapped[1]!, 16), Number.parseInt(mapped[2]!, 16)];
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}

/**
 * Networks from CIDRs; a bare address is a network of one.
 * @throws Error that names the entry which is not a network
 */
export function parseNetworks(cidrs: readonly string[]): NetworkSet {
  // One list for each family: a BlockList compares IPv4 addresses with IPv6 rules as if they were v4-mapped.
  const lists = { 4: new net.BlockList(), 6: new net.BlockList() };
  for (const cidr of cidrs) {
    const [, address, prefix] = /^([0-9a-fA-F.:]+)(?:\/(\d{1,3}))?$/.exec(cidr) ?? [];
    const family = net.isIP(address ?? '');
    const bits = family === 4 ? 32 : 128;
    const length = prefix === undefined ? bits : Number(prefix);
    if (!address || family === 0 || length > bits) {
      throw new Error(`${JSON.stringify(cidr)} is not a network; write it like 10.1.0.0/16 or fd00::/8`);
    }
    if (family === 6 && net.isIPv4(canonical(address) ?? '')) {
      throw new Error(`${JSON.stringify(cidr)} is an IPv4 network in IPv6 form; write it as IPv4`);
    }
    lists[family as 4 | 6].addSubnet(address, length, family === 4 ? 'ipv4' : 'ipv6');
  }
  return {
    has(address) {
      const text = canonical(address);
      if (text === null) return false;
      return net.isIPv4(text) ? lists[4].check(text, 'ipv4') : lists[6].check(text, 'ipv6');
    },
  };
}

const special = parseNetworks(specialNetworks);

/** All addresses of a host, in the order of the system's resolver. */
export const systemResolve: Resolve = (hostname) => lookup(hostname, { all: true, order: 'verbatim' });

export interface AddressGuard {
  allows(address: string, port: number): boolean;
  /**
   * The addresses a connection to `hostname` may use: the one lookup of a connection. A host with a single forbidden
   * address is refused as a whole.
   * @throws AddressNotAllowed, Unresolved
   */
  addressesOf(hostname: string, port: number): Promise<string[]>;
}

/**
 * @param allow networks that are reachable although they are special
 * @param ownPorts ports of this machine that nothing reaches, whatever is allowed: those of the hub itself
 */
export function createAddressGuard(
  allow: NetworkSet,
  ownPorts: ReadonlySet<number> = new Set(),
  resolve: Resolve = systemResolve,
): AddressGuard {
  const allows = (address: string, port: number): boolean =>
    canonical(address) !== null &&
    (allow.has(address) || !special.has(address)) &&
    !(ownPorts.has(port) && isThisMachine(address));

  return {
    allows,
    async addressesOf(hostname, port) {
      const literal = hostname.replace(/^\[|\]$/g, '');
      const addresses = net.isIP(literal) ? [literal] : await resolveAll(resolve, hostname);
      if (!addresses.every((address) => allows(address, port))) throw new AddressNotAllowed();
      return addresses;
    },
  };
}

const loopback = parseNetworks(['0.0.0.0/8', '127.0.0.0/8', '::/128', '::1/128']);

/** Asked anew each time: addresses come and go. */
function isThisMachine(address: string): boolean {
  if (loopback.has(address)) return true;
  const own = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  return own.some((one) => canonical(one.address) === canonical(address));
}

async function resolveAll(resolve: Resolve, hostname: string): Promise<string[]> {
  const answers = await resolve(hostname).catch(() => []);
  if (answers.length === 0) throw new Unresolved();
  return answers.map(({ address }) => address);
}

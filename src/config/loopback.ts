import { BlockList, isIPv6 } from 'node:net';

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/** Whether only this machine can reach the host. Of names, only `localhost` is known to be so. */
export function isLoopback(host: string): boolean {
  if (host === 'localhost') return true;
  try {
    return loopback.check(host, isIPv6(host) ? 'ipv6' : 'ipv4');
  } catch {
    return false;
  }
}

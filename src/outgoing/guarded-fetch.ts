import { Agent, fetch } from 'undici';
import { createAddressGuard, parseNetworks } from './address-guard.ts';
import { guardedConnector } from './guarded-connector.ts';

export interface GuardedFetchOptions {
  /** CIDRs that may be reached besides public addresses (`outgoing.allowNetworks`). */
  allowNetworks: readonly string[];
  /** Ports of this machine that no call reaches: those of the hub. It may grow. */
  ownPorts?: ReadonlySet<number> | undefined;
  /** Milliseconds from the call to the last byte of the answer; default 10,000. */
  timeoutMs?: number;
}

export interface GuardedFetch {
  fetch(url: string, options: object): Promise<Response>;
  close(): Promise<void>;
}

const connectTimeoutMs = 3_000;
const defaultTimeoutMs = 10_000;
const mostBytes = 256 * 1024;

/**
 * `fetch` for libraries that make their calls themselves, to where other outgoing calls may go. Redirects are answers; an
 * answer that is larger than 256 KiB or takes longer than 10 s is a failure.
 */
export function createGuardedFetch({ allowNetworks, ownPorts, timeoutMs }: GuardedFetchOptions): GuardedFetch {
  const dispatcher = new Agent({
    connect: guardedConnector(createAddressGuard(parseNetworks(allowNetworks), ownPorts), connectTimeoutMs),
    connections: 4,
    // The total time of a call covers both.
    headersTimeout: 0,
    bodyTimeout: 0,
    maxResponseSize: mostBytes,
  });
  return {
    // The types of undici's own fetch and of Node's differ in names only.
    fetch: (url, options) =>
      fetch(url, {
        ...options,
        redirect: 'manual',
        dispatcher,
        signal: AbortSignal.timeout(timeoutMs ?? defaultTimeoutMs),
      }) as unknown as Promise<Response>,
    close: () => dispatcher.destroy(),
  };
}

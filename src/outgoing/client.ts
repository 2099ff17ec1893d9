import type { Logger } from '#actors/ports.ts';
import { createAddressGuard, parseNetworks, type Resolve } from './address-guard.ts';
import type { OutgoingResult, RefusalReason } from './call.ts';
import type { SentRequest } from './calls.ts';
import { onFirstUse } from './first-use.ts';

export interface OutgoingRequest extends SentRequest {
  url: string;
}

export interface OutgoingClient {
  /** One call. Redirects are answers, not followed. Never rejects: what can go wrong is in the result. */
  send(request: OutgoingRequest): Promise<OutgoingResult>;
  /**
   * Lets running calls end, then closes the connections. Each call has its total time; what runs after `patienceMs`
   * fails as `closed`.
   */
  close(patienceMs?: number): Promise<void>;
}

export interface OutgoingOptions {
  /** CIDRs that may be reached besides public addresses (`outgoing.allowNetworks`). */
  allowNetworks: readonly string[];
  /** Lookup, TCP and TLS together; default 3,000. */
  connectTimeoutMs?: number;
  /** Connections to one origin at most, default 16; further calls wait for one within their own time. */
  connectionsPerOrigin?: number;
  log?: Logger;
  /** Ports of this machine that no call reaches: those of the hub. It may grow. */
  ownPorts?: ReadonlySet<number>;
  /** The resolver of names; default the system's. */
  resolve?: Resolve;
}

const forbiddenHeaders = /^(host|content-length|transfer-encoding|connection|keep-alive|upgrade|expect|te|trailer)$/i;

/**
 * The one client for every outgoing call of the hub.
 * @throws Error when `allowNetworks` holds an entry that is not a network
 */
export function createOutgoingClient(options: OutgoingOptions): OutgoingClient {
  const guard = createAddressGuard(parseNetworks(options.allowNetworks), options.ownPorts, options.resolve);
  const { connectTimeoutMs = 3_000, connectionsPerOrigin = 16 } = options;
  const calls = onFirstUse(async () =>
    (await import('./calls.ts')).openCalls(guard, connectTimeoutMs, connectionsPerOrigin),
  );
  let isClosed = false;
  const sendTo = async (url: URL, request: OutgoingRequest): Promise<OutgoingResult> =>
    isClosed ? { kind: 'failed', reason: 'closed', durationMs: 0 } : (await calls.get()).send(url, request);
  return {
    async send(request) {
      const url = usableUrl(request.url);
      let result: OutgoingResult;
      if (url === null) result = refused('bad_url');
      else if (Object.keys(request.headers).some((name) => forbiddenHeaders.test(name)))
        result = refused('bad_headers');
      else result = await sendTo(url, request);
      options.log?.info({ host: url?.host, ...summary(result) }, 'outgoing.called');
      return result;
    },
    async close(patienceMs) {
      isClosed = true;
      await (await calls.made())?.close(patienceMs);
    },
  };
}

const refused = (reason: RefusalReason): OutgoingResult => ({ kind: 'refused', reason });

/** Null unless the text is an absolute http or https URL without credentials. */
function usableUrl(text: string): URL | null {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password) return null;
  return url;
}

function summary(result: OutgoingResult): Record<string, unknown> {
  if (result.kind !== 'answered') return { ...result };
  return { kind: result.kind, status: result.status, truncated: result.truncated, durationMs: result.durationMs };
}

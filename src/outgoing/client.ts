import { Agent, errors, type Dispatcher } from 'undici';
import type { Logger } from '#actors/ports.ts';
import { AddressNotAllowed, createAddressGuard, parseNetworks, type Resolve, Unresolved } from './address-guard.ts';
import { ConnectTimeout, guardedConnector, TlsFailure } from './guarded-connector.ts';

export interface OutgoingRequest {
  url: string;
  /** `host` and the headers of the connection and its framing are refused. */
  headers: Record<string, string>;
  /** Sent exactly as given; a string as UTF-8. */
  body: Uint8Array | string;
  /** Milliseconds from the call to the last byte of the answer; default 10,000. */
  timeoutMs?: number;
  /** The answer's body is cut there; default 64 KiB. */
  maximumAnswerBytes?: number;
}

export type RefusalReason = 'address_not_allowed' | 'bad_url' | 'bad_headers';

export type OutgoingFailureReason =
  /** The name of the host has no address. */
  | 'unresolved'
  | 'connect_timeout'
  /** The answer was not complete within `timeoutMs`. */
  | 'timeout'
  /** Refused, reset, closed or unreachable. */
  | 'connection'
  | 'tls'
  /** The answer's headers exceed 16 KiB. */
  | 'answer_too_large'
  /** The answer is not HTTP. */
  | 'answer_invalid'
  /** The client was closed. */
  | 'closed';

export type OutgoingResult =
  | {
      kind: 'answered';
      status: number;
      headers: Record<string, string | string[] | undefined>;
      /** UTF-8; bytes that are none become U+FFFD. */
      body: string;
      truncated: boolean;
      durationMs: number;
    }
  | { kind: 'refused'; reason: RefusalReason }
  | { kind: 'failed'; reason: OutgoingFailureReason; durationMs: number };

export interface OutgoingClient {
  /** One POST. Redirects are answers, not followed. Never rejects: what can go wrong is in the result. */
  post(request: OutgoingRequest): Promise<OutgoingResult>;
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
  /** The resolver of names; default the system's. */
  resolve?: Resolve;
}

const forbiddenHeaders = /^(host|content-length|transfer-encoding|connection|keep-alive|upgrade|expect|te|trailer)$/i;

/**
 * The one client for every outgoing call of the hub.
 * @throws Error when `allowNetworks` holds an entry that is not a network
 */
export function createOutgoingClient(options: OutgoingOptions): OutgoingClient {
  const guard = createAddressGuard(parseNetworks(options.allowNetworks), options.resolve);
  const agent = new Agent({
    connect: guardedConnector(guard, options.connectTimeoutMs ?? 3000),
    connections: options.connectionsPerOrigin ?? 16,
    pipelining: 1,
    // The total time of a call covers both.
    headersTimeout: 0,
    bodyTimeout: 0,
  });

  const running = new Set<AbortController>();
  return {
    async post(request) {
      const url = usableUrl(request.url);
      const total = new AbortController();
      running.add(total);
      const result = await (url ? call(agent, url, request, total) : refused('bad_url'));
      running.delete(total);
      options.log?.info({ host: url?.host, ...summary(result) }, 'outgoing.posted');
      return result;
    },
    async close(patienceMs) {
      const cut = (): void => {
        for (const total of running) total.abort(new errors.ClientClosedError());
      };
      const timer = patienceMs === undefined ? undefined : setTimeout(cut, patienceMs);
      await agent.close();
      clearTimeout(timer);
    },
  };
}

/** Null unless the text is an absolute http or https URL without credentials. */
function usableUrl(text: string): URL | null {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password) return null;
  return url;
}

async function call(agent: Agent, url: URL, request: OutgoingRequest, total: AbortController): Promise<OutgoingResult> {
  const start = performance.now();
  const durationMs = (): number => Math.round(performance.now() - start);
  if (Object.keys(request.headers).some((name) => forbiddenHeaders.test(name))) return refused('bad_headers');
  const timer = setTimeout(() => total.abort(), request.timeoutMs ?? 10_000);
  try {
    const answer = await agent.request({
      origin: url.origin,
      path: url.pathname + url.search,
      method: 'POST',
      headers: request.headers,
      body: request.body,
      signal: total.signal,
    });
    const { body, truncated } = await readUpTo(answer.body, request.maximumAnswerBytes ?? 65_536);
    return {
      kind: 'answered',
      status: answer.statusCode,
      headers: answer.headers,
      body,
      truncated,
      durationMs: durationMs(),
    };
  } catch (error) {
    if (error instanceof AddressNotAllowed) return refused('address_not_allowed');
    // The URL and the body are sound by now: undici checks nothing else but the headers.
    if (error instanceof errors.InvalidArgumentError) return refused('bad_headers');
    const closed = total.signal.reason instanceof errors.ClientClosedError;
    const reason = total.signal.aborted && !closed ? 'timeout' : failureOf(closed ? total.signal.reason : error);
    return { kind: 'failed', reason, durationMs: durationMs() };
  } finally {
    clearTimeout(timer);
  }
}

/** Leaving the loop early destroys the stream and its connection: the rest of a huge answer is never read. */
async function readUpTo(
  stream: Dispatcher.ResponseData['body'],
  maximum: number,
): Promise<{ body: string; truncated: boolean }> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > maximum) break;
  }
  return { body: Buffer.concat(chunks).subarray(0, maximum).toString('utf8'), truncated: size > maximum };
}

const refused = (reason: RefusalReason): OutgoingResult => ({ kind: 'refused', reason });

function failureOf(error: unknown): OutgoingFailureReason {
  if (error instanceof Unresolved) return 'unresolved';
  if (error instanceof ConnectTimeout) return 'connect_timeout';
  if (error instanceof TlsFailure) return 'tls';
  if (error instanceof errors.HeadersOverflowError) return 'answer_too_large';
  if (error instanceof errors.HTTPParserError || error instanceof errors.ResponseContentLengthMismatchError) {
    return 'answer_invalid';
  }
  if (error instanceof errors.ClientClosedError || error instanceof errors.ClientDestroyedError) return 'closed';
  return 'connection';
}

function summary(result: OutgoingResult): Record<string, unknown> {
  if (result.kind !== 'answered') return { ...result };
  return { kind: result.kind, status: result.status, truncated: result.truncated, durationMs: result.durationMs };
}

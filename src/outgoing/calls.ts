import { Agent } from 'undici';
import type { AddressGuard } from './address-guard.ts';
import { OutgoingCall, type OutgoingResult } from './call.ts';
import { guardedConnector } from './guarded-connector.ts';

/** A request without its address. */
export interface SentRequest {
  /** Default: POST. */
  method?: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** `host` and the headers of the connection and its framing are refused. */
  headers: Record<string, string>;
  /** Sent exactly as given; a string as UTF-8. Absent: none. */
  body?: Uint8Array | string;
  /** Milliseconds from the call to the last byte of the answer; default 10,000. */
  timeoutMs?: number;
  /** The answer's body is cut there; default 64 KiB. */
  maximumAnswerBytes?: number;
}

/** The calls of a client, and their connections. */
export interface Calls {
  /** @param url as the client has checked it, like the headers */
  send(url: URL, request: SentRequest): Promise<OutgoingResult>;
  /** As a client is closed. */
  close(patienceMs?: number): Promise<void>;
}

/** In a module of its own, which a client loads with its first call: the library is large. */
export function openCalls(guard: AddressGuard, connectTimeoutMs: number, connectionsPerOrigin: number): Calls {
  const agent = new Agent({
    connect: guardedConnector(guard, connectTimeoutMs),
    connections: connectionsPerOrigin,
    pipelining: 1,
    // The total time of a call covers both.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  const running = new Set<OutgoingCall>();
  return {
    send: (url, { method = 'POST', headers, body = null, timeoutMs, maximumAnswerBytes }) =>
      new Promise((resolve) => {
        const call = new OutgoingCall(timeoutMs ?? 10_000, maximumAnswerBytes ?? 65_536, (result) => {
          running.delete(call);
          resolve(result);
        });
        running.add(call);
        const path = url.pathname + url.search;
        agent.dispatch({ origin: url.origin, path, method, headers, body }, call);
      }),
    async close(patienceMs) {
      const cut = (): void => {
        for (const call of running) call.close();
      };
      const timer = patienceMs === undefined ? undefined : setTimeout(cut, patienceMs);
      await agent.close();
      clearTimeout(timer);
    },
  };
}

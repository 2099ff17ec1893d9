import type { Readable } from 'node:stream';
import type { Agent } from 'undici';
import { createAddressGuard, parseNetworks } from './address-guard.ts';
import type { OutgoingOptions } from './client.ts';
import { onFirstUse } from './first-use.ts';

/** What a download came to. `isPassing`: it may go well later. `error`: part of a sentence, without secrets. */
export type Download = { kind: 'open'; content: Readable } | { kind: 'failed'; error: string; isPassing: boolean };

/** Loads files that platforms name: like the client of calls guarded in every hop, but answers are streams. */
export interface Downloads {
  /** Follows redirects; headers stay with the origin that they are for. Never rejects. */
  open(file: { url: string; headers: Record<string, string> }): Promise<Download>;
  close(): Promise<void>;
}

const mostRedirects = 5;
/** From the call to the first byte, and between two parts of the content, in ms. */
const patience = 10_000;

/** @throws Error when `allowNetworks` holds an entry that is not a network */
export function createDownloads(options: Omit<OutgoingOptions, 'log'>): Downloads {
  const guard = createAddressGuard(parseNetworks(options.allowNetworks), options.ownPorts, options.resolve);
  const agent = onFirstUse(async () => {
    const [undici, { guardedConnector }] = await Promise.all([import('undici'), import('./guarded-connector.ts')]);
    const connect = guardedConnector(guard, options.connectTimeoutMs ?? 3_000);
    const limits = { connections: 8, headersTimeout: patience, bodyTimeout: patience };
    return { request: undici.request, agent: new undici.Agent({ connect, ...limits }) };
  });
  return {
    async open({ url, headers }) {
      try {
        return await followed(await agent.get(), url, headers, mostRedirects);
      } catch (error) {
        return failed(`it could not be loaded (${(error as { code?: string }).code ?? 'unreachable'})`, true);
      }
    },
    async close() {
      await (await agent.made())?.agent.destroy();
    },
  };
}

/** In the place of downloads where nothing is to be loaded. */
export const noDownloads: Downloads = {
  open: async () => failed('nothing is loaded here', false),
  close: async () => {},
};

type Parts = { request: typeof import('undici').request; agent: Agent };

async function followed(parts: Parts, url: string, headers: Record<string, string>, left: number): Promise<Download> {
  const at = URL.parse(url);
  if (at === null || !/^https?:$/.test(at.protocol)) return failed('its link is no web address', false);
  const answer = await parts.request(at, { dispatcher: parts.agent, headers });
  const { statusCode: status, body } = answer;
  if (status >= 200 && status < 300) return { kind: 'open', content: body };
  body.destroy();
  const { location } = answer.headers;
  if (status >= 300 && status < 400 && typeof location === 'string') {
    if (left === 0) return failed('its link leads on and on', false);
    const next = URL.parse(location, at);
    const isSame = next?.origin === at.origin;
    return followed(parts, next?.href ?? '', isSame ? headers : {}, left - 1);
  }
  return failed(`the platform answered with status ${status}`, status >= 500 || status === 429);
}

function failed(error: string, isPassing: boolean): Download {
  return { kind: 'failed', error, isPassing };
}

import type { Config } from '#src/config/config.ts';
import type { Connector, InboundRoute } from '../connector.ts';
import type { ConnectionChecker } from '../powers.ts';
import type { AccessTokens } from './access-tokens.ts';
import { agents } from './account.ts';
import { bizMapsApi } from './api.ts';
import { deliverBy } from './delivery.ts';
import { readEvent, source } from './inbound.ts';
import { imagesInTexts } from './media.ts';
import { readMarkerBy, typingBy } from './presence.ts';
import { handshakeIn, isGenuine } from './signature.ts';

const bodyLimit = 256 * 1024;

/** Calls of the platform: one event each, or a handshake, which is no event. */
const routeOf = (partnerKey: string): InboundRoute => ({
  method: 'POST',
  path: '/bizmaps',
  bodyLimit,
  verify: (request) => isGenuine(request, partnerKey),
  split: ({ body }) => (handshakeIn(body) === null ? [Buffer.from(body).toString()] : []),
  read: readEvent,
  answer: ({ body }) => ({ contentType: 'text/plain', body: handshakeIn(body)?.secret ?? '' }),
});

const checkerOf = (tokens: AccessTokens): ConnectionChecker => ({
  async check(tools) {
    const grant = await tokens.fresh(tools);
    return grant.kind === 'granted' ? null : grant.error;
  },
});

function connectorOf({ components }: Config): Connector | null {
  const { bizmaps } = components.sources;
  if (bizmaps === undefined) return null;
  const api = bizMapsApi(bizmaps);
  return {
    name: source,
    sources: [source],
    routes: [routeOf(bizmaps.partnerKey.reveal())],
    deliver: deliverBy(api),
    checker: checkerOf(api.tokens),
    typing: typingBy(api),
    readMarker: readMarkerBy(api),
    media: imagesInTexts,
  };
}

/** Business messaging, reached from maps and search. */
export const bizmapsConnector = Object.assign(connectorOf, { accounts: [agents] });

import type { PlatformApp } from '#src/config/config.ts';
import type { InboundRoute } from '../connector.ts';
import { isSameSecret, isSigned } from './signature.ts';

/** A batch of the platform has 3 MB at most. */
const largestBatch = 4 * 1024 * 1024;

/** The two routes of an address: the handshake, by which the platform learns that it is the hub's, and updates. */
export const routesAt = (
  path: InboundRoute['path'],
  { appSecret, webhookSecret }: PlatformApp,
  reading: Pick<InboundRoute, 'split' | 'read'>,
): InboundRoute[] => [
  {
    method: 'GET',
    path,
    bodyLimit: 0,
    verify: ({ url: { searchParams: asked } }) =>
      asked.get('hub.mode') === 'subscribe' &&
      isSameSecret(asked.get('hub.verify_token') ?? '', webhookSecret.reveal()),
    split: () => [],
    read: () => null,
    answer: ({ url }) => ({ contentType: 'text/plain', body: url.searchParams.get('hub.challenge') ?? '' }),
  },
  {
    method: 'POST',
    path,
    bodyLimit: largestBatch,
    verify: (request) => isSigned(request, appSecret.reveal()),
    ...reading,
  },
];

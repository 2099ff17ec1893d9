import type { Inbound } from '#src/ingest/items.ts';
import { pageplatformConnector } from '#src/connectors/pageplatform/connector.ts';
import type { Connector } from '#src/connectors/connector.ts';
import { configured } from '../graph/platform.ts';
import { page } from './page-cases.ts';
import { account } from './photo-cases.ts';

export const connector = (): Connector => pageplatformConnector(configured())!;

/** The route of updates of an address. */
export const routeAt = (path: string) =>
  connector().routes.find((route) => route.method === 'POST' && route.path === path)!;

/** Events as the platform sends them, of a page or of an account for photos. */
export const ofPage = (...events: unknown[]): object => batch('page', page, events);
export const ofPhotos = (...events: unknown[]): object => batch('instagram', account, events);

const batch = (object: string, id: string, events: unknown[]): object => ({
  object,
  entry: [{ id, time: 1_767_225_601_000, messaging: events }],
});

/** What nothing is said of besides. */
export const saying = (source: string, said: Partial<Inbound>): Inbound => ({
  ...{ source, messages: [], metadata: [], receipts: [], signals: [] },
  ...said,
});

import type { Config } from '#src/config/config.ts';
import type { Connector } from '../connector.ts';
import { routesAt } from '../graph/routes.ts';
import { photoAccounts } from './photo-account.ts';
import { pageAccounts } from './account.ts';
import { deliverFor } from './delivery.ts';
import { readEvents } from './inbound.ts';
import { media } from './media.ts';
import { profilesOf } from './profile.ts';
import { readMarkerOf, typingOf } from './sender-actions.ts';
import { split } from './updates.ts';
import { window } from './window.ts';

const reading = { split, read: readEvents };

/** Pages of a social messenger, and accounts for photos that are linked to them: they share an app. */
export const pageplatformConnector = Object.assign(
  ({ components }: Pick<Config, 'components'>): Connector | null => {
    const app = components.sources.pageplatform;
    if (app === undefined) return null;
    return {
      name: 'pageplatform',
      sources: ['pageplatform', 'photoplatform'],
      routes: [...routesAt('/pageplatform', app, reading), ...routesAt('/photoplatform', app, reading)],
      deliver: deliverFor(app),
      profiles: profilesOf(app),
      readMarker: readMarkerOf(app),
      typing: typingOf(app),
      media,
      windows: { pageplatform: window, photoplatform: window },
    };
  },
  { accounts: [pageAccounts, photoAccounts] },
);

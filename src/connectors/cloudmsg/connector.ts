import type { Config } from '#src/config/config.ts';
import type { Connector } from '../connector.ts';
import { routesAt } from '../graph/routes.ts';
import type { ConversationStarter, SendLimits } from '../powers.ts';
import { numberAccounts } from './account.ts';
import { deliverFor } from './delivery.ts';
import { readChanges } from './inbound.ts';
import { mediaOf } from './media.ts';
import { readMarkerOf } from './read-marker.ts';
import { split } from './updates.ts';
import { window } from './window.ts';

/** The platform calls a conversation by the contact's number: its digits. */
const starter: ConversationStarter = {
  conversationWith: (recipient) => recipient.replace(/[\s+]/g, '') || recipient,
};

/** What the platform takes of a number in a second, and of a number and a contact in six. */
const limits: SendLimits = {
  perChannel: { perSecond: 80, burst: 80 },
  perConversation: { perSecond: 1 / 6, burst: 45 },
};

/** Numbers of businesses in the cloud. */
export const cloudmsgConnector = Object.assign(
  ({ components }: Pick<Config, 'components'>): Connector | null => {
    const app = components.sources.cloudmsg;
    if (app === undefined) return null;
    return {
      name: 'cloudmsg',
      sources: ['cloudmsg'],
      routes: routesAt('/cloudmsg', app, { split, read: readChanges }),
      deliver: deliverFor(app),
      starter,
      readMarker: readMarkerOf(app),
      media: mediaOf(app),
      limits,
      windows: { cloudmsg: window },
    };
  },
  { accounts: [numberAccounts] },
);

import type { ConversationStarter } from '../powers.ts';
import type { Connector } from '../connector.ts';
import { deliver } from './delivery.ts';

/** An application decides itself whom it can reach, and under which id. */
const starter: ConversationStarter = { conversationWith: (recipient) => recipient };

/**
 * Sources that applications registered: they push what comes in (`inbound.ts`), and have an action endpoint for what
 * goes out.
 */
export const customConnector = (): Connector => ({
  name: 'custom',
  sources: 'registered',
  routes: [],
  deliver,
  starter,
});

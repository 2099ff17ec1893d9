import { isObject } from '#actors/json.ts';
import type { Config } from '#src/config/config.ts';
import type { Connector, InboundRoute } from '../connector.ts';
import type { ConnectionChecker, MessagingWindow, SendLimits } from '../powers.ts';
import { accounts, askForAccount } from './account.ts';
import { contactId } from './addresses.ts';
import { deliverBy } from './delivery.ts';
import { readForm } from './inbound.ts';
import { mediaOf } from './media.ts';
import type { Telco } from './platform.ts';
import { isSignedForm } from './signature.ts';

const path = '/telco';
const bodyLimit = 256 * 1024;
const emptyReply = '<?xml version="1.0" encoding="UTF-8"?><Response></Response>';

/** What a chat number may send by default. The slower ones of text messages have a queue at the platform. */
const limits: SendLimits = { perChannel: { perSecond: 80, burst: 80 } };

const chatWindow: MessagingWindow = {
  length: 24 * 60 * 60_000,
  takesLater: (content) => isObject(content) && typeof content['ContentSid'] === 'string',
  closed:
    'The contact wrote more than 24 hours ago: until they write again, only a template can be sent, by its ContentSid.',
};

/** Calls of the platform: a form each, of one message or one receipt. */
const routeOf = ({ authToken }: Telco, publicUrl: string): InboundRoute => ({
  method: 'POST',
  path,
  bodyLimit,
  verify: (request) => isSignedForm(request, { authToken: authToken.reveal(), publicUrl }),
  split: ({ body }) => [Buffer.from(body).toString()],
  read: readForm,
  answer: () => ({ contentType: 'text/xml', body: emptyReply }),
});

const checkerOf = (telco: Telco): ConnectionChecker => ({
  async check(tools) {
    const outcome = await askForAccount(telco, tools);
    return outcome.kind === 'succeeded' ? null : outcome.error;
  },
});

function connectorOf({ components, server }: Config): Connector | null {
  const { telco } = components.sources;
  if (telco === undefined) return null;
  const { publicUrl } = server;
  return {
    name: 'telco',
    sources: ['telco.sms', 'telco.cloudmsg'],
    routes: [routeOf(telco, publicUrl)],
    deliver: deliverBy(telco, publicUrl === '' ? null : publicUrl.replace(/\/$/, '') + path),
    starter: { conversationWith: contactId },
    checker: checkerOf(telco),
    media: mediaOf(telco),
    limits,
    windows: { 'telco.cloudmsg': chatWindow },
  };
}

/** Text messages, and chat messages of telephone numbers, through a telephony provider. */
export const telcoConnector = Object.assign(connectorOf, { accounts });

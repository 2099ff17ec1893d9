import { z } from 'zod';
import { type EventType, eventTypes } from '#actors/representation.ts';
import { webhookEventTypes } from '#actors/webhook-subscription/contract.ts';
import { communicationPath } from '#src/realtime/communication.ts';
import { visitorPath } from '#src/realtime/visitor/door.ts';
import { version } from '#src/version.ts';
import { eventSchema, eventSchemaName, eventSchemas } from '../events/schemas.ts';
import { deliveryHeaders } from './headers.ts';
import { forClients } from './schemas.ts';
import { visitorChannels, visitorMessages, visitorOperations, visitorToken } from './visitor-channels.ts';

const description = `\
STOMP 1.2 (1.1 and 1.0 too) over WebSocket. Each frame is one Event, the same as in \`events.list\` and webhooks. A
SUBSCRIBE header \`after\` resumes behind the \`cursor\` of an event; without it only later events come. A credential, where
one is asked for, is in the \`Authorization\` header of the upgrade request or of the CONNECT frame.`;

/** The names of the messages of some event types; those of webhooks have headers besides. */
const messageName = (type: EventType, webhook: boolean): string =>
  `${eventSchemaName(type)}${webhook ? 'Delivery' : ''}`;

function channel(
  address: string,
  words: string,
  types: readonly EventType[],
  more: { servers?: object[]; parameters?: object } = {},
) {
  const names = types.map((type) => messageName(type, more.servers !== undefined));
  return {
    address,
    description: words,
    servers: [{ $ref: '#/servers/hub' }],
    ...more,
    messages: Object.fromEntries(names.map((name) => [name, { $ref: `#/components/messages/${name}` }])),
  };
}

const message = (type: EventType, webhook: boolean) => ({
  name: type,
  title: eventSchemaName(type),
  summary: eventSchemas[type].meta()?.description,
  contentType: 'application/json',
  ...(webhook && { headers: { $ref: '#/components/schemas/DeliveryHeaders' } }),
  payload: { $ref: `#/components/schemas/${eventSchemaName(type)}` },
});

const messagesOf = (types: readonly EventType[], webhook: boolean) =>
  Object.fromEntries(types.map((type) => [messageName(type, webhook), message(type, webhook)]));

/** The schemas of everything that is sent, under the names that the OpenAPI document has for them. */
function schemas(): object {
  const render = (schema: z.ZodType) =>
    z.toJSONSchema(schema, { io: 'output', override: (rendered) => forClients({ ...rendered, io: 'output' }) });
  const { $schema: _, ...headers } = render(deliveryHeaders);
  const text = JSON.stringify({ ...render(eventSchema).$defs, DeliveryHeaders: headers });
  return JSON.parse(text.replaceAll('#/$defs/', '#/components/schemas/'));
}

/** The part of the document that says where the hub is, and where the receivers are. */
export function asyncApiServers(url: string) {
  const { host, protocol, pathname } = new URL(url);
  const socket = (path: string, words: string) => ({
    host,
    pathname: pathname.replace(/\/$/, '') + path,
    protocol: protocol === 'https:' ? 'wss' : 'ws',
    protocolVersion: 'STOMP 1.2',
    description: words,
  });
  const hub = socket(communicationPath, 'This hub.');
  const visitors = socket(visitorPath, 'This hub, for visitors of web pages.');
  const receiver = { host: 'receiver.example', protocol: 'https', description: 'Whoever has a webhook subscription.' };
  return { servers: { hub, visitors, receiver } };
}

const operationsOf = (channels: readonly string[]) =>
  Object.fromEntries(
    channels.map((name) => [
      `receive-${name}`,
      {
        action: 'send',
        channel: { $ref: `#/channels/${name}` },
        security: [{ $ref: `#/components/securitySchemes/${name === 'webhooks' ? 'signature' : 'systemToken'}` }],
        summary: `The hub sends one ${name === 'webhooks' ? 'POST, signed with the key,' : 'MESSAGE'} for each event.`,
      },
    ]),
  );

/** The AsyncAPI 3.0 document of the WebSocket and of outbound webhooks, but for its servers. */
export function asyncApiDocument(): object {
  const channels = {
    events: channel('/events', 'Every event.', eventTypes),
    eventsOfType: channel('/events/{type}', 'Events of one type.', eventTypes, {
      parameters: { type: { enum: [...eventTypes], description: 'The event type.' } },
    }),
    conversation: channel('/conversations/{id}', 'Events of one conversation.', eventTypes, {
      parameters: { id: { description: 'The id of the conversation.' } },
    }),
    webhooks: channel('/{path}', 'The URL of a webhook subscription.', webhookEventTypes, {
      servers: [{ $ref: '#/servers/receiver' }],
      parameters: { path: { description: 'Whatever the URL has behind its host.' } },
    }),
  };
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Parley events',
      version,
      description,
      license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
    },
    defaultContentType: 'application/json',
    channels: { ...channels, ...visitorChannels },
    operations: { ...operationsOf(Object.keys(channels)), ...visitorOperations },
    components: {
      securitySchemes: {
        visitorToken,
        systemToken: { type: 'http', scheme: 'bearer', description: 'Where security.authentication is on.' },
        signature: {
          type: 'httpApiKey',
          in: 'header',
          name: 'webhook-signature',
          description: 'With a signature_key.',
        },
      },
      schemas: schemas(),
      messages: { ...messagesOf(eventTypes, false), ...messagesOf(webhookEventTypes, true), ...visitorMessages },
    },
  };
}

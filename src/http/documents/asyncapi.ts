import { z } from 'zod';
import { eventTypes } from '#actors/representation.ts';
import { version } from '#src/version.ts';
import { eventSchema } from '../schemas.ts';

/** The AsyncAPI 3.0 document of `/ws.communication` and of outbound webhooks. */
export function asyncApiDocument(): object {
  const { $defs } = z.toJSONSchema(eventSchema, { io: 'output' });
  const channel = (address: string | null, description: string, more: object = {}) => ({
    address,
    description,
    ...more,
    messages: { event: { $ref: '#/components/messages/event' } },
  });
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Parley events',
      version,
      description: `STOMP 1.2 over WebSocket at /ws.communication. A SUBSCRIBE header "after" resumes behind a cursor.`,
      license: { name: 'Apache-2.0' },
    },
    defaultContentType: 'application/json',
    servers: {
      hub: { host: '127.0.0.1:8080', pathname: '/ws.communication', protocol: 'ws', protocolVersion: 'STOMP 1.2' },
    },
    channels: {
      events: channel('/events', 'Every event.'),
      eventsOfType: channel('/events/{type}', 'Events of one type.', {
        parameters: { type: { enum: [...eventTypes], description: 'The event type.' } },
      }),
      conversation: channel('/conversations/{id}', 'Events of one conversation.', {
        parameters: { id: { description: 'The id of the conversation.' } },
      }),
      webhooks: channel(null, 'The URL of a webhook subscription: one signed POST for each event.'),
    },
    operations: Object.fromEntries(
      ['events', 'eventsOfType', 'conversation', 'webhooks'].map((name) => [
        `receive-${name}`,
        {
          action: 'send',
          channel: { $ref: `#/channels/${name}` },
          summary: `The hub sends one ${name === 'webhooks' ? 'POST' : 'MESSAGE'} for each event.`,
        },
      ]),
    ),
    components: {
      schemas: { ...$defs },
      messages: {
        event: {
          name: 'Event',
          title: 'Event',
          contentType: 'application/json',
          payload: { $ref: '#/components/schemas/Event' },
        },
      },
    },
  };
}

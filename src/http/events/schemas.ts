import { z } from 'zod';
import { type EventType, subjectTypes } from '#actors/representation.ts';
import { jsonObject } from '#src/ingest/fields.ts';
import { contactPayload } from '../contacts/schemas.ts';
import { channelSchema, messageSchema, tagSchema } from '../schemas.ts';
import { subscriptionSchema } from '../webhooks/schemas.ts';

const messagePayload = z
  .object({
    conversation_id: z.string(),
    channel_id: z.string().optional().describe('Absent while the conversation has not appeared.'),
    message: messageSchema,
  })
  .meta({ id: 'MessagePayload' });

const conversationPayload = z
  .object({
    id: z.string(),
    created_at: z.string(),
    channel_id: z.string(),
    metadata: jsonObject,
    last_message: messageSchema.omit({ metadata: true }).meta({ id: 'LastMessage' }).optional(),
  })
  .meta({ id: 'ConversationPayload' });

const metadataPayload = z
  .object({
    subject: z.enum(['message', 'conversation', 'channel']),
    identifier: z.string().describe('The id of the message, conversation or channel.'),
    metadata: jsonObject.describe('All of it, as it is now.'),
  })
  .meta({ id: 'MetadataPayload' });

const tagPayload = tagSchema
  .extend({ deleted: z.literal(true).optional().describe('It is gone, and leaves every conversation.') })
  .meta({ id: 'TagPayload' });

const eventSubject = z
  .object({ type: z.enum(subjectTypes), id: z.string() })
  .describe('Whose counter `seq` is: the conversation also for what its messages do.')
  .meta({ id: 'EventSubject' });

const componentPayload = z
  .object({
    name: z.string(),
    installation_status: z.enum(['uninstalled', 'pending', 'installed']),
    enabled: z.boolean(),
    configuration: jsonObject.optional().describe('Secrets are masked. Absent: as the configuration file says.'),
  })
  .meta({ id: 'ComponentPayload' });

/** An Event of one type, as a schema of its own: `message.created` is `MessageCreated`. */
const eventOf = <T extends EventType, P extends z.ZodType>(type: T, payload: P, description: string) =>
  z
    .object({
      type: z.literal(type),
      subject: eventSubject,
      payload,
      timestamp: z.int().describe('Epoch milliseconds.'),
      seq: z.int().describe('Gapless from 1 within the subject.'),
      cursor: z.string().describe('Opaque position in the feed right after this event.'),
    })
    .describe(description)
    .meta({ id: eventSchemaName(type) });

/** The name of the schema of an event type in both documents. */
export const eventSchemaName = (type: EventType): string =>
  type.replaceAll(/(?:^|\.)([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** Event type → its schema. */
export const eventSchemas = {
  'message.created': eventOf('message.created', messagePayload, 'A message is stored.'),
  'message.updated': eventOf('message.updated', messagePayload, 'The state or the metadata of a message changed.'),
  'conversation.updated': eventOf(
    'conversation.updated',
    conversationPayload,
    'The last message, unread count, state or metadata of a conversation changed.',
  ),
  'channel.updated': eventOf('channel.updated', channelSchema, 'A channel was connected, disconnected or changed.'),
  'metadata.updated': eventOf('metadata.updated', metadataPayload, 'Metadata changed.'),
  'tag.updated': eventOf('tag.updated', tagPayload, 'A tag was made, changed or deleted.'),
  'webhook.updated': eventOf(
    'webhook.updated',
    subscriptionSchema.omit({ headers: true }).meta({ id: 'WebhookPayload' }),
    'A webhook subscription was made, changed, suspended or unsubscribed, or has missed events.',
  ),
  'component.updated': eventOf(
    'component.updated',
    componentPayload,
    'A component was installed, uninstalled, configured, switched on or off.',
  ),
  'contact.updated': eventOf('contact.updated', contactPayload, 'A contact was made, changed, merged or deleted.'),
} as const satisfies Record<EventType, z.ZodType>;

type EventSchema = (typeof eventSchemas)[EventType];

/** An Event on every transport; `type` says which one. */
export const eventSchema = z
  .discriminatedUnion('type', Object.values(eventSchemas) as [EventSchema, ...EventSchema[]])
  .meta({ id: 'Event' });

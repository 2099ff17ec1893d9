import { z } from 'zod';
import { failureCodes } from '#actors/errors.ts';
import { tagColors } from '#actors/representation.ts';
import { jsonObject } from '#src/ingest/fields.ts';

const longestText = 1_000;

/** A UUID in any case; stored and compared in lower case. */
export const uuid = z
  .string()
  .regex(/^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$/, 'must be a UUID')
  .transform((text) => text.toLowerCase())
  .meta({ type: 'string', format: 'uuid' });

export const text = z.string().max(longestText);
/** What people call something: it can be seen, and has no signs that nobody sees. */
export const name = text.regex(/^(?=.*\S)[^\p{Cc}]+$/u, 'must be a name that can be seen, without control characters');
export const url = z.url({ protocol: /^https?$/ }).max(2_000);
/** An address that the hub calls. It is shown in answers, so it must hold no secret. */
export const endpoint = url.refine((address) => !hasCredentials(address), 'must not hold a user name or a password');

export const sourceSchema = z
  .object({
    source_id: z.string(),
    action_endpoint: z.string().optional(),
    name: z.string().optional(),
    image_url: z.string().optional(),
  })
  .meta({ id: 'Source' });

export const channelSchema = z
  .object({
    id: z.string(),
    source: z.string(),
    source_channel_id: z.string(),
    source_id: z.string().optional(),
    metadata: jsonObject,
    connected: z.boolean(),
  })
  .meta({ id: 'Channel' });

const deliveryState = z.enum(['pending', 'failed', 'delivered']);

export const messageSchema = z
  .object({
    id: z.string(),
    content: z.unknown(),
    state: deliveryState,
    delivery_state: deliveryState,
    from_contact: z.boolean(),
    sent_at: z.string().describe('ISO 8601 UTC with milliseconds.'),
    source: z.string(),
    metadata: jsonObject,
    sender: z.object({ id: z.string(), name: z.string().optional(), avatar_url: z.string().optional() }),
  })
  .meta({ id: 'Message' });

export const conversationSchema = z
  .object({
    id: z.string(),
    created_at: z.string(),
    channel: channelSchema,
    metadata: jsonObject,
    last_message: messageSchema.optional(),
    unread_count: z.int(),
  })
  .meta({ id: 'Conversation' });

export const tagColor = z.enum(tagColors);

export const tagSchema = z.object({ id: z.string(), name: z.string(), color: tagColor }).meta({ id: 'Tag' });

/** Null would mean that there is none. */
export const templateContent = z
  .unknown()
  .refine((value) => value !== undefined && value !== null, 'is required')
  .meta({
    anyOf: [
      { type: 'object', additionalProperties: {} },
      { type: 'array', items: {} },
      ...(['string', 'number', 'boolean'] as const).map((type) => ({ type })),
    ],
    description: 'Any JSON value but null.',
  });

export const templateSchema = z
  .object({
    id: z.string(),
    name: z.string(),
    source: z.string(),
    content: z.unknown().describe('A message of the source, as it was given.'),
  })
  .meta({ id: 'Template' });

export const errorSchema = z
  .object({
    error: z.string().describe('A sentence that a person can act on.'),
    code: z.enum(failureCodes),
    details: z.array(z.object({ path: z.string(), problem: z.string() })).optional(),
  })
  .meta({ id: 'Error' });

function hasCredentials(address: string): boolean {
  const { username = '', password = '' } = URL.parse(address) ?? {};
  return username !== '' || password !== '';
}

import { z } from 'zod';
import { foreignId } from '#src/ingest/fields.ts';
import { apiKeyHash, apiKeyText } from '#src/security/api-key.ts';
import { created, defineOperation } from '../operation.ts';
import { name } from '../schemas.ts';
import { apiKeySchema } from './schemas.ts';

/** Of each list: what more would be is a key of another kind. */
const most = 32;

const pattern = z
  .string()
  .max(100)
  .regex(
    /^(\*|[a-z-]+(\.[a-z-]+)*\.(\*|[a-z-]+))$/,
    'must be an operation such as messages.send, conversations.* or *',
  );

export const createKey = defineOperation({
  path: '/keys.create',
  summary: 'Make an API key for a program; the only answer that holds its text.',
  auth: 'core',
  keys: 'none',
  request: z.object({
    name: name.describe('Who has it: shown as the sender of its messages.'),
    operations: z.array(pattern).min(1).max(most).describe('What it opens: messages.send, conversations.* or *.'),
    sources: z
      .array(foreignId)
      .min(1)
      .max(most)
      .optional()
      .describe('What it is bound to; absent: to none, it sees all.'),
  }),
  example: { name: 'CRM', operations: ['conversations.*', 'messages.send'], sources: ['my-crm'] },
  responses: { 201: apiKeySchema.extend({ key: z.string().describe('For the Authorization header.') }) },
  errors: [],
  async handle({ caller, commands, services, newId }, { name, operations, sources }) {
    const id = newId();
    const secret = apiKeyText(services.config.security.jwtSecret, id);
    const { key } = await commands.send('api-key', id, 'api-key.create', {
      ...{ name, operations, hash: apiKeyHash(secret), createdBy: caller.sender.id },
      ...(sources && { sources }),
    });
    return created({ ...key, key: secret });
  },
  secret: {
    async strip(_, body) {
      const { key: _secret, ...rest } = body as { key: string };
      return rest;
    },
    async restore({ config }, stripped) {
      const { id } = stripped as { id: string };
      return { ...(stripped as object), key: apiKeyText(config.security.jwtSecret, id) };
    },
  },
});

import { z } from 'zod';
import { instant } from '#src/ingest/fields.ts';
import { exampleIds } from '../examples.ts';
import { defineRead, ok } from '../operation.ts';
import { nextCursor, pageFields, pageQuery, pageSize } from '../pagination.ts';
import { uuid } from '../schemas.ts';

const list = 'audit';

const entry = z
  .object({
    at: z.string(),
    by: z
      .object({ kind: z.string(), id: z.string().optional() })
      .describe(
        'A caller (agent, source, key, platform, anyone), or what the hub did by itself: command, timer, effect, …',
      ),
    request_id: z.string().optional().describe('X-Request-Id of the request that asked for it.'),
    actor: z.object({ kind: z.string(), id: z.string().optional() }).describe('What it was asked of.'),
    type: z.string(),
    command_id: z.string().describe('What is caused by it names it: by: {kind: command, id}.'),
    events: z.array(z.string()),
    refused: z.string().optional().describe('The code; nothing was changed.'),
  })
  .meta({ id: 'AuditEntry' });

const name = z.string().min(1).max(1_000);

export const listAudit = defineRead({
  path: '/audit.list',
  summary: 'Who changed what, newest first, as long as the journal is kept.',
  auth: 'core',
  request: z.object({
    actor: z.object({ kind: name, id: uuid.optional() }).optional().describe('Only what was asked of these.'),
    by: z.object({ kind: name, id: name.optional() }).optional().describe('Only what these asked for.'),
    from: instant.optional(),
    to: instant.optional(),
    ...pageFields,
  }),
  example: { actor: { kind: 'conversation', id: exampleIds.conversation }, page_size: 50 },
  responses: {
    200: z.object({
      data: z.array(entry),
      next_cursor: z.string().nullable().describe('Also when data is empty; null: there is nothing more.'),
    }),
  },
  errors: ['invalid_cursor', 'query_too_slow'],
  async handle({ longReads }, { actor, by, from, to, cursor, page_size }) {
    const { entries, next } = await longReads.audit({
      limit: pageSize(page_size),
      before: pageQuery(list, { cursor }).from?.key ?? null,
      ...(actor && { actor: { kind: actor.kind, ...(actor.id !== undefined && { id: actor.id }) } }),
      ...(by && { by: { kind: by.kind, ...(by.id !== undefined && { id: by.id }) } }),
      ...(from !== undefined && { from }),
      ...(to !== undefined && { to }),
    });
    return ok({ data: entries, next_cursor: nextCursor(list, next) });
  },
});

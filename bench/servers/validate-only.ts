import { Hono } from 'hono';
import { type IngestResult, ingestBody } from './ingest-body.ts';
import { serveApp } from './serve-app.ts';

/** The most that any Hono route can do with these bodies: it reads and validates them, and answers in the same shape. */

const anyId = '5b0c2b36-8ea5-5b5f-9d3f-0b7d8f5f6c11';

const app = new Hono();
app.post('/sources.webhook', async (c) => {
  const body = ingestBody.safeParse(await c.req.json());
  if (!body.success) return c.json({ error: body.error.message, code: 'invalid_request' }, 400);
  const messages = body.data.messages.map(
    ({ source_message_id }): IngestResult => ({
      source_message_id,
      id: anyId,
      conversation_id: anyId,
      duplicate: false,
    }),
  );
  return c.json({ messages });
});
serveApp(app);

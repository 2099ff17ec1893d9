import { Hono } from 'hono';
import { z } from 'zod';
import { openMessagePages } from '../bare-read.ts';
import { serveApp } from './serve-app.ts';

/** A route that reads the rows of a page and answers with them. Its argument: the hub's file. */

const body = z.object({ conversation_id: z.uuid(), page_size: z.int().min(1).max(1_000) });
const pages = openMessagePages(process.argv[2] ?? '');

const app = new Hono();
app.post('/messages.list', async (c) => {
  const parsed = body.safeParse(await c.req.json());
  if (!parsed.success) return c.json({ error: parsed.error.message, code: 'invalid_request' }, 400);
  return c.json({ data: pages.first(parsed.data.conversation_id, parsed.data.page_size) });
});
serveApp(app, () => pages.close());

import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Hono } from 'hono';
import { operations } from '../operations.ts';
import { asyncApiDocument } from './asyncapi.ts';
import { openApiDocument } from './openapi.ts';

/** Nothing from elsewhere: the page works without the internet, and what it tries goes to this hub. */
const policy = "default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'; frame-ancestors 'none'";

/** The page itself: path → file of this folder and its type. */
const pageFiles: Record<string, [name: string, type: string]> = {
  '/docs': ['page.html', 'text/html'],
  '/docs/page.css': ['page.css', 'text/css'],
  '/docs/page.js': ['page.js', 'text/javascript'],
};

/** What the page uses of Swagger UI: file → type. */
const swaggerFiles: Record<string, string> = {
  'swagger-ui.css': 'text/css',
  'swagger-ui-bundle.js': 'text/javascript',
  'favicon-32x32.png': 'image/png',
};

/** `/openapi.json`, `/asyncapi.json` and the page `/docs`. */
export function documentRoutes(): Hono {
  const app = new Hono();
  const swagger = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
  let openApi: string | null = null;
  const json = { 'Content-Type': 'application/json' };
  const sent = (type: string) => ({ 'Content-Type': `${type}; charset=utf-8`, 'Content-Security-Policy': policy });

  app.get('/openapi.json', (c) => {
    openApi ??= JSON.stringify(openApiDocument(operations));
    return c.body(openApi, 200, json);
  });
  app.get('/asyncapi.json', (c) => c.body(JSON.stringify(asyncApiDocument()), 200, json));
  for (const [path, [name, type]] of Object.entries(pageFiles)) {
    app.get(path, async (c) => c.body(await readFile(join(import.meta.dirname, name), 'utf8'), 200, sent(type)));
  }
  for (const [name, type] of Object.entries(swaggerFiles)) {
    app.get(`/docs/${name}`, async (c) => c.body(await readFile(join(swagger, name)), 200, { 'Content-Type': type }));
  }
  return app;
}

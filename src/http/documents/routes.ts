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
  const openApi = once(() => jsonBytes(openApiDocument(operations)));
  const asyncApi = once(() => jsonBytes(asyncApiDocument()));
  const json = { 'Content-Type': 'application/json' };
  const sent = (type: string) => ({ 'Content-Type': `${type}; charset=utf-8`, 'Content-Security-Policy': policy });

  app.get('/openapi.json', (c) => c.body(openApi(), 200, json));
  app.get('/asyncapi.json', (c) => c.body(asyncApi(), 200, json));
  for (const [path, [name, type]] of Object.entries(pageFiles)) {
    const page = once(() => readFile(join(import.meta.dirname, name)));
    app.get(path, async (c) => c.body(await page(), 200, sent(type)));
  }
  for (const [name, type] of Object.entries(swaggerFiles)) {
    const file = once(() => readFile(join(swagger, name)));
    app.get(`/docs/${name}`, async (c) => c.body(await file(), 200, { 'Content-Type': type }));
  }
  return app;
}

const jsonBytes = (document: object): Buffer<ArrayBuffer> => Buffer.from(JSON.stringify(document));

/** What is made with the first request: all answers share its bytes, however many nobody reads. */
function once<T>(make: () => T): () => T {
  let made: { value: T } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

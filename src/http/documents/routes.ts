import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { Config } from '#src/config/config.ts';
import { page, type Route, type Served } from '../door.ts';
import { operations } from '../operations.ts';
import { asyncApiDocument, asyncApiServers } from './asyncapi.ts';
import { openApiDocument, openApiServers } from './openapi.ts';

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

/** `/openapi.json`, `/asyncapi.json` and the page `/docs`, to which `/` leads. */
export function documentRoutes({ server, security }: Config): Route[] {
  const swagger = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
  return [
    page('/', async () => ({ status: 302, body: null, headers: { Location: '/docs' } })),
    document('/openapi.json', server, () => openApiDocument(operations, security.authentication), openApiServers),
    document('/asyncapi.json', server, asyncApiDocument, asyncApiServers),
    ...Object.entries(pageFiles).map(([path, [name, type]]) =>
      file(path, join(import.meta.dirname, name), {
        'Content-Type': `${type}; charset=utf-8`,
        'Content-Security-Policy': policy,
      }),
    ),
    ...Object.entries(swaggerFiles).map(([name, type]) =>
      file(`/docs/${name}`, join(swagger, name), { 'Content-Type': type }),
    ),
  ];
}

/** Addresses that a document is made for; who comes by another gets one that names this machine. */
const mostAddresses = 16;

/**
 * Made when it is first asked for under an address, which it names: all answers share its bytes, however many nobody
 * reads.
 */
function document(
  path: string,
  { publicUrl }: Config['server'],
  make: () => object,
  serversAt: (url: string) => object,
): Route {
  const made = new Map<string, Buffer<ArrayBuffer>>();
  return page(path, async ({ headers: { host }, socket }): Promise<Served> => {
    const asked = publicUrl || URL.parse(`http://${host}`)?.origin;
    const isKnown = asked && (made.has(asked) || made.size < mostAddresses);
    const url = isKnown ? asked : `http://localhost:${socket.localPort}`;
    const body = made.get(url) ?? Buffer.from(JSON.stringify({ ...make(), ...serversAt(url.replace(/\/$/, '')) }));
    made.set(url, body);
    return { status: 200, body, headers: {} };
  });
}

const file = (path: string, name: string, headers: Record<string, string>): Route =>
  madeOnce(path, () => readFile(name), headers);

/** Made with the first request: all answers share its bytes, however many nobody reads. */
function madeOnce(path: string, make: () => Promise<Buffer<ArrayBuffer>>, headers: Record<string, string>): Route {
  let made: Promise<Buffer<ArrayBuffer>> | null = null;
  return page(path, async (): Promise<Served> => {
    made ??= make();
    return { status: 200, body: await made, headers };
  });
}

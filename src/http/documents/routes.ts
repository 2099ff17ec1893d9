import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Hono } from 'hono';
import { operations } from '../operations.ts';
import { asyncApiDocument } from './asyncapi.ts';
import { openApiDocument } from './openapi.ts';

/** Nothing from elsewhere: the page works without the internet, and what it tries goes to this hub. */
const policy = "default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'; frame-ancestors 'none'";

const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Parley API</title>
<link rel="icon" type="image/png" href="/docs/favicon-32x32.png">
<link rel="stylesheet" href="/docs/swagger-ui.css">
<link rel="stylesheet" href="/docs/page.css">
</head>
<body>
<header><h1>Parley API</h1><p><a href="/openapi.json">openapi.json</a> · <a href="/asyncapi.json">asyncapi.json</a></p></header>
<main id="ui"></main>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/page.js"></script>
</body>
</html>
`;

const pageStyle = `body { margin: 0; }
header { background: #12324a; color: #fff; padding: 1.25rem 2rem; font-family: system-ui, sans-serif; }
header h1 { margin: 0; font-size: 1.4rem; }
header p { margin: .3rem 0 0; }
header a { color: #9fd3ff; }
.swagger-ui .info { margin: 1.5rem 0; }
`;

const pageScript = `window.ui = SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#ui',
  deepLinking: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  tryItOutEnabled: true,
  validatorUrl: null,
});
`;

const files: Record<string, string> = {
  'swagger-ui.css': 'text/css',
  'swagger-ui-bundle.js': 'text/javascript',
  'favicon-32x32.png': 'image/png',
};

/** `/openapi.json`, `/asyncapi.json` and the page `/docs`. */
export function documentRoutes(): Hono {
  const app = new Hono();
  const folder = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
  let openApi: string | null = null;
  const json = { 'Content-Type': 'application/json' };
  const sent = (type: string) => ({ 'Content-Type': `${type}; charset=utf-8`, 'Content-Security-Policy': policy });

  app.get('/openapi.json', (c) => {
    openApi ??= JSON.stringify(openApiDocument(operations));
    return c.body(openApi, 200, json);
  });
  app.get('/asyncapi.json', (c) => c.body(JSON.stringify(asyncApiDocument()), 200, json));
  app.get('/docs', (c) => c.body(page, 200, sent('text/html')));
  app.get('/docs/page.css', (c) => c.body(pageStyle, 200, sent('text/css')));
  app.get('/docs/page.js', (c) => c.body(pageScript, 200, sent('text/javascript')));
  for (const [name, type] of Object.entries(files)) {
    app.get(`/docs/${name}`, async (c) => c.body(await readFile(join(folder, name)), 200, { 'Content-Type': type }));
  }
  return app;
}

import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { constants, gzip } from 'node:zlib';
import { Failure } from '#actors/errors.ts';
import { page, type Route, type Served } from '../door.ts';
import { isKnown } from '../etag.ts';
import { refusal } from '../outgoing.ts';

const gzipped = promisify(gzip);

/** Where the page to try the widget on is, and what the widget is built to. */
const folder = fileURLToPath(new URL('../../../web/chat-widget/', import.meta.url));
const built = join(folder, 'dist');

/** Where everything stands that visitors' browsers load. */
const pagesPath = '/chatplugin/ui';

const types: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.map': 'application/json',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
};

/** Scripts and styles of the example page are the hub's own, and none stands in the page; messages may show anything. */
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' https: data: blob:; " +
  "media-src 'self' https: blob:; connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'";

/** Every name may mean another content after an upgrade: asked for again, unless the content itself is named. */
const shortly = 'public, max-age=300';
const forever = 'public, max-age=31536000, immutable';

/** `GET /chatplugin/ui/…`: the widget as it was built, and the page to try it on. */
export const visitorPageRoutes = (): Route[] => [
  page(`${pagesPath}/example`, (request) => served(join(folder, 'example.html'), request)),
  page(`${pagesPath}/:file`, (request) => served(fileOf(request), request)),
];

/** What the example page needs lies beside it, everything else was built. Nothing outside of the folders can be meant. */
function fileOf({ url = '' }: IncomingMessage): string {
  const [name = ''] = url.slice(pagesPath.length + 1).split('?', 1);
  if (!/^[\w-][\w.-]*$/.test(name)) return join(built, 'none');
  return join(name.startsWith('example.') ? folder : built, name);
}

async function served(file: string, { url = '', headers: asked }: IncomingMessage): Promise<Served> {
  const type = types[extname(file)];
  const content = type === undefined ? null : await contentOf(file);
  if (content === null) {
    const message = 'There is no such file. If it is one of the chat widget, run: npm run build:widget';
    return refusal(new Failure('not_found', message));
  }
  const tag = createHash('sha256').update(content).digest('base64url');
  const named = URL.parse(url, 'http://hub.invalid')?.searchParams.get('v') ?? '';
  const isNamed = named.replace(/-gzip$/, '') === tag;
  const isSmall = takesGzip(asked['accept-encoding']);
  const headers = {
    'Content-Type': type!,
    'Cache-Control': isNamed ? forever : shortly,
    'Cross-Origin-Resource-Policy': 'cross-origin',
    ...(type!.startsWith('text/html') && { 'Content-Security-Policy': policy }),
    Vary: 'Accept-Encoding',
    ...(isSmall && { 'Content-Encoding': 'gzip' }),
    ETag: isSmall ? `"${tag}-gzip"` : `"${tag}"`,
  };
  if (isKnown(asked['if-none-match'], headers.ETag)) return { status: 304, body: null, headers };
  return { status: 200, body: isSmall ? await compressed(tag, content) : content, headers };
}

/** RFC 9110 §12.5.3, as browsers say it: one that refuses gzip names it with no weight. */
const takesGzip = (accepted: string | string[] | undefined): boolean =>
  /(?:^|,)\s*gzip\s*(?:,|$|;\s*q=(?:1|0\.0*[1-9]))/.test(String(accepted ?? ''));

/** Compressed once each; the files are few. */
const known = new Map<string, Promise<Buffer<ArrayBuffer>>>();
const mostKnown = 32;

function compressed(tag: string, content: Buffer): Promise<Buffer<ArrayBuffer>> {
  const before = known.get(tag);
  if (before !== undefined) return before;
  if (known.size >= mostKnown) known.clear();
  const made = gzipped(content, { level: constants.Z_BEST_COMPRESSION }) as Promise<Buffer<ArrayBuffer>>;
  known.set(tag, made);
  return made;
}

/** Read anew each time: it is small, and may be built anew while the hub runs. Null: it is not there. */
async function contentOf(file: string): Promise<Buffer<ArrayBuffer> | null> {
  try {
    return await readFile(file);
  } catch (error) {
    if (['ENOENT', 'EISDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return null;
    throw error;
  }
}

import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { Failure } from '#actors/errors.ts';
import { mediaPath } from '#actors/media-address.ts';
import type { MediaFacts } from '#actors/media/contract.ts';
import type { ByteRange } from '#src/media/folder.ts';
import { isShown } from '#src/media/types.ts';
import type { Services } from '#src/services.ts';
import { page, type Route, type Served } from '../door.ts';
import { refusal } from '../outgoing.ts';
import { isKnown } from '../etag.ts';

const fileName = /^\/media\/([0-9a-f]{64})(?:\.[a-z0-9]{1,8})?$/;

/**
 * `GET /media/<sha256>.<ending>`: whole, or the range that is asked for. The ending is for people. Whoever knows a file's
 * address may read it: its hash is what nobody guesses.
 */
export function mediaRoute(services: Pick<Services, 'store' | 'media'>): Route {
  return page(`${mediaPath}/:file`, async (request) => {
    const [, sha256] = fileName.exec(pathOf(request)) ?? [];
    const facts = sha256 === undefined ? null : services.store.media.find(sha256);
    if (facts === null) return refusal(new Failure('not_found', 'There is no such file.'));
    return served(services.media, facts, request);
  });
}

const pathOf = ({ url = '' }: IncomingMessage): string => url.split('?', 1)[0]!;

async function served(folder: Services['media'], facts: MediaFacts, request: IncomingMessage): Promise<Served> {
  const { bytes, sha256 } = facts;
  const headers = headersOf(facts);
  if (isKnown(request.headers['if-none-match'], headers['ETag']!)) return { status: 304, body: null, headers };
  const range = rangeOf(request.headers.range, bytes);
  if (range === 'unsatisfiable') {
    return { status: 416, body: null, headers: { ...headers, 'Content-Range': `bytes */${bytes}` } };
  }
  const { start, end } = range ?? { start: 0, end: bytes - 1 };
  const length = end - start + 1;
  const content = request.method === 'HEAD' || length === 0 ? null : await folder.read(sha256, { start, end });
  if (content === null && length > 0 && request.method !== 'HEAD') {
    return refusal(new Failure('not_found', 'The content of this file is gone.'));
  }
  return {
    status: range === null ? 200 : 206,
    body: content && (Readable.toWeb(content) as ReadableStream<Uint8Array<ArrayBuffer>>),
    headers: {
      ...headers,
      'Content-Length': String(length),
      ...(range !== null && { 'Content-Range': `bytes ${start}-${end}/${bytes}` }),
    },
  };
}

/** Nothing in a file is run, whatever it is, and only what can not run anything is shown in its place. */
const headersOf = ({ type, sha256, name }: MediaFacts): Record<string, string> => ({
  'Content-Type': isShown(type) ? type : 'application/octet-stream',
  'Content-Disposition': `${isShown(type) ? 'inline' : 'attachment'}; filename*=UTF-8''${encoded(name)}`,
  'Content-Security-Policy': "default-src 'none'; sandbox",
  'Cross-Origin-Resource-Policy': 'cross-origin',
  'Cache-Control': 'public, max-age=31536000, immutable',
  'Accept-Ranges': 'bytes',
  ETag: `"${sha256}"`,
});

/** RFC 8187: what a header's parameter may have. */
const encoded = (name: string): string =>
  encodeURIComponent(name).replace(/['()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);

/** RFC 9110 §14: one range; several, or what is no range, is answered whole: null. */
function rangeOf(header: string | undefined, bytes: number): ByteRange | 'unsatisfiable' | null {
  const [, first, last] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? '') ?? [];
  if (first === undefined || last === undefined || first + last === '') return null;
  if (first === '') {
    const tail = Math.min(Number(last), bytes);
    return tail === 0 ? 'unsatisfiable' : { start: bytes - tail, end: bytes - 1 };
  }
  const start = Number(first);
  const end = last === '' ? bytes - 1 : Math.min(Number(last), bytes - 1);
  if (last !== '' && Number(last) < start) return null;
  return start >= bytes ? 'unsatisfiable' : { start, end };
}

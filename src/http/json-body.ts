import type { IncomingMessage } from 'node:http';
import { Failure } from '#actors/runtime/errors.ts';

/** Bytes of a request body at most (architecture.md, "Limits and back-pressure"). */
export const bodyLimit = 1024 * 1024;
/** Objects and arrays inside each other at most. */
export const nestingLimit = 64;

const utf8 = new TextDecoder('utf-8', { fatal: true });

const tooLarge = (): Failure =>
  new Failure('body_too_large', `The body is larger than ${bodyLimit} bytes. Send less at once.`);

/** Reads the whole body. @throws Failure `body_too_large`, also before the end has come */
export function readBody(request: IncomingMessage): Promise<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > bodyLimit) return Promise.reject(tooLarge());
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > bodyLimit) {
        chunks.length = 0;
        reject(tooLarge());
      } else {
        chunks.push(chunk);
      }
    });
    request.on('end', () => resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)));
    request.on('error', reject);
    request.on('close', () =>
      reject(new Failure('malformed_json', 'The connection closed before the body was complete.')),
    );
  });
}

/** Whether a Content-Type header says JSON in UTF-8. */
export function isJson(contentType: string | undefined): boolean {
  if (contentType === 'application/json') return true;
  const [type = '', ...parameters] = (contentType ?? '').toLowerCase().split(';');
  const charset = parameters.map((parameter) => parameter.trim()).find((parameter) => parameter.startsWith('charset='));
  const known = charset === undefined || /^charset="?(utf-8|utf8|us-ascii)"?$/.test(charset);
  return known && /^application\/(json|[\w.-]+\+json)$/.test(type.trim());
}

/**
 * The value of a body; an empty body is `{}` (decisions.md §1).
 * @throws Failure `unsupported_media_type`, `malformed_json`, `invalid_request`
 */
export function parseBody(bytes: Buffer, contentType: string | undefined): unknown {
  if (bytes.length === 0) return {};
  if (!isJson(contentType)) {
    throw new Failure(
      'unsupported_media_type',
      'Send the body as JSON with the header Content-Type: application/json.',
    );
  }
  let text: string;
  try {
    text = utf8.decode(bytes);
  } catch {
    throw new Failure('malformed_json', 'The body is not UTF-8.');
  }
  const value = parse(text);
  // Only an escape can hold half a character, and only many brackets can nest deeply.
  if (text.includes('\\u') || brackets(text) > nestingLimit) inspect(value);
  return value;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const position = /position (\d+)/.exec((error as Error).message)?.[1];
    const where = position === undefined ? '' : ` at position ${position}`;
    throw new Failure('malformed_json', `The body is not JSON: there is a mistake${where}.`);
  }
}

function brackets(text: string): number {
  let count = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === 0x7b || code === 0x5b) count++;
  }
  return count;
}

/** Walks the value without recursion: its depth is what is in question. */
function inspect(root: unknown): void {
  const open: { value: unknown; depth: number }[] = [{ value: root, depth: 0 }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, depth } = next;
    if (typeof value === 'string') assertWellFormed(value);
    if (typeof value !== 'object' || value === null) continue;
    if (depth >= nestingLimit) {
      throw new Failure('invalid_request', `The body nests more than ${nestingLimit} objects and arrays.`);
    }
    for (const [key, inner] of Object.entries(value)) {
      assertWellFormed(key);
      open.push({ value: inner, depth: depth + 1 });
    }
  }
}

function assertWellFormed(text: string): void {
  if (!text.isWellFormed()) {
    throw new Failure('invalid_request', 'The body holds half a character (a lone surrogate). Send whole characters.');
  }
}

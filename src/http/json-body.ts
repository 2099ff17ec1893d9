import type { IncomingHttpHeaders } from 'node:http';
import { Failure } from '#actors/errors.ts';
import { parseJson } from '#actors/json.ts';
import { assertAllFinite } from './raw-numbers.ts';

/** Objects and arrays inside each other at most. */
export const nestingLimit = 64;

const [quote, backslash, openBrace, closeBrace, openBracket, closeBracket] = [0x22, 0x5c, 0x7b, 0x7d, 0x5b, 0x5d];

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Whether a Content-Type header says JSON in UTF-8. */
export function isJson(contentType: string | undefined): boolean {
  if (contentType === 'application/json') return true;
  const [type = '', ...parameters] = (contentType ?? '').toLowerCase().split(';');
  const charset = parameters.map((parameter) => parameter.trim()).find((parameter) => parameter.startsWith('charset='));
  const known = charset === undefined || /^charset="?(utf-8|utf8|us-ascii)"?$/.test(charset);
  return known && /^application\/(json|[\w.-]+\+json)$/.test(type.trim());
}

/**
 * The value of a body; an empty body is `{}` (docs/api.md, "Conventions").
 * @throws Failure `unsupported_media_type`, `malformed_json`, `invalid_request`
 */
export function parseBody(
  bytes: Buffer,
  { 'content-type': type, 'content-encoding': coding = 'identity' }: IncomingHttpHeaders,
): unknown {
  if (bytes.length === 0) return {};
  if (coding.trim().toLowerCase() !== 'identity') {
    throw new Failure('unsupported_media_type', 'The body is compressed. Send it without Content-Encoding.');
  }
  if (!isJson(type)) {
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
  // Before parsing: a megabyte of brackets would keep the parser busy for 0.4 s.
  if (depthOf(text) > nestingLimit) {
    throw new Failure('invalid_request', `The body nests more than ${nestingLimit} objects and arrays.`);
  }
  const value = parse(text);
  // Only an escape can hold half a character.
  if (text.includes('\\u')) assertAllWellFormed(value);
  assertAllFinite(text, value);
  return value;
}

function parse(text: string): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    throw new Failure('malformed_json', `The body is not JSON: ${mistake(text, (error as Error).message)}.`);
  }
}

/** What is wrong with text that is no JSON, and where: V8 says the position of most mistakes, but not of all. */
function mistake(text: string, message: string): string {
  const position = /position (\d+)/.exec(message)?.[1];
  if (position !== undefined) return `there is a mistake at position ${position}`;
  if (message.startsWith('Unexpected end')) return `it ends too early, at position ${text.length}`;
  return `there is a mistake at position ${misplacedToken(text)}`;
}

/** Where the first token stands that begins no value, though one is due there. Everything before it is sound. */
function misplacedToken(text: string): number {
  let due = true;
  let previous = '';
  for (let i = 0; i < text.length; i++) {
    const character = text[i]!;
    if (' \n\r\t'.includes(character)) continue;
    if (due && !beginsValue(text, i) && !(character === ']' && previous === '[')) return i;
    if (character === '"') i = endOfString(text, i);
    due = ',:['.includes(character);
    previous = character;
  }
  return text.length;
}

const beginsValue = (text: string, at: number): boolean =>
  '{["-0123456789'.includes(text[at]!) || ['true', 'false', 'null'].some((literal) => text.startsWith(literal, at));

function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at;
}

/** How deep objects and arrays are inside each other; for text that is no JSON, how deep they seem to be. */
function depthOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  let quoted = false;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === backslash && quoted) i++;
    else if (code === quote) quoted = !quoted;
    else if (quoted) continue;
    else if (code === openBrace || code === openBracket) deepest = Math.max(deepest, ++depth);
    else if (code === closeBrace || code === closeBracket) depth--;
  }
  return deepest;
}

/** Every string and key below a value that nests at most `nestingLimit` deep. */
function assertAllWellFormed(value: unknown): void {
  if (typeof value === 'string') assertWellFormed(value);
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    assertWellFormed(key);
    assertAllWellFormed(inner);
  }
}

function assertWellFormed(text: string): void {
  if (!text.isWellFormed()) {
    throw new Failure('invalid_request', 'The body holds half a character (a lone surrogate). Send whole characters.');
  }
}

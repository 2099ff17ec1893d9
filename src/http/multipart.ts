import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { Busboy, type BusboyFileStream, type BusboyInstance } from '@fastify/busboy';
import { Failure } from '#actors/errors.ts';
import { incomplete } from './bodies.ts';

/** The field of a form that holds the file. */
const fileField = 'file';
/** Parts besides the file mean nothing, and are few. */
const limits = { parts: 32, fieldSize: 64 * 1024, headerPairs: 64 };

/**
 * Hands on the file of a multipart/form-data body while it comes in.
 * @param keep what is done with it; the answer waits for it and for the end of the body
 * @throws Failure `unsupported_media_type`, `invalid_request`, and what `keep` throws
 */
export function fileOf<T>(request: IncomingMessage, keep: (content: Readable, name: string) => Promise<T>): Promise<T> {
  const parser = parserOf(request);
  return new Promise((resolve, reject) => {
    let file: BusboyFileStream | null = null;
    let kept: Promise<T> | null = null;
    const fail = (failure: unknown): void => {
      // What still comes passes unread.
      request.unpipe(parser);
      request.resume();
      file?.destroy(failure as Error);
      reject(failure);
    };
    parser.on('file', (field: string, content: BusboyFileStream, name: string | undefined) => {
      content.on('error', () => {});
      if (field !== fileField || kept !== null) {
        content.resume();
        fail(notOneFile());
        return;
      }
      file = content;
      kept = keep(content, name ?? fileField);
      kept.catch(fail);
    });
    parser.on('error', () => fail(new Failure('invalid_request', 'The body is no whole form with a file.')));
    parser.on('finish', () => {
      if (kept === null) fail(notOneFile());
      else kept.then(resolve, () => {});
    });
    request.on('close', () => {
      if (!request.complete) fail(incomplete());
    });
    request.pipe(parser);
  });
}

function parserOf({ headers }: IncomingMessage): BusboyInstance {
  const type = headers['content-type'] ?? '';
  try {
    if (/^multipart\/form-data\s*;/i.test(type))
      return new Busboy({ headers: { ...headers, 'content-type': type }, limits });
  } catch {
    // Without a boundary.
  }
  throw new Failure(
    'unsupported_media_type',
    'Send the body as multipart/form-data, with the file in the field `file`.',
  );
}

const notOneFile = (): Failure =>
  new Failure('invalid_request', 'The form must have one file.', {
    details: [{ path: fileField, problem: 'must be one file' }],
  });

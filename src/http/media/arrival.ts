import type { IncomingMessage } from 'node:http';
import { Failure } from '#actors/errors.ts';
import type { Services } from '#src/services.ts';
import { fits, typeOf } from '#src/media/types.ts';
import { fileOf } from '../multipart.ts';
import type { UploadedFile } from '../operation.ts';

/** Of names; what is longer loses its beginning, so that its ending stays. */
const longestName = 255;

/**
 * Keeps the file of a form in the media folder.
 * @throws Failure `unsupported_media_type`, `body_too_large`, `insufficient_storage`, `overloaded`, `invalid_request`
 */
export const arrival = (
  { media: folder, config: { media } }: Pick<Services, 'media' | 'config'>,
  request: IncomingMessage,
): Promise<UploadedFile> =>
  fileOf(request, async (content, name) => {
    let known = { type: '', ending: null as string | null };
    const { sha256, bytes } = await folder.keep(content, media, async ({ head }) => {
      known = await typeOf(head);
      if (!media.types.some((pattern) => fits(known.type, pattern))) {
        throw new Failure('unsupported_media_type', `Files of type ${known.type} are not taken: see media.types.`);
      }
    });
    return { sha256, bytes, ...known, name: plainName(name) };
  });

/** As the form writes it (quotes as %22), without folders and what turns the direction of text or can not be seen. */
const plainName = (name: string): string =>
  name
    .toWellFormed()
    .replaceAll('%22', '"')
    .replace(/[\p{C}\u2028\u2029/\\]/gu, '')
    .slice(-longestName) || 'file';

import { extname } from 'node:path';
import { z } from 'zod';
import { Failure } from '#actors/errors.ts';
import { mediaActorId } from '#actors/ids.ts';
import { mediaPath } from '#actors/media-address.ts';
import { defineUpload, ok } from '../operation.ts';
import { url } from '../schemas.ts';

/** Endings that a name may give an address, where the content does not say its own. */
const plainEnding = /^\.[a-z0-9]{1,8}$/;

export const uploadMedia = defineUpload({
  path: '/media.upload',
  aliases: ['/media.uploadFile'],
  summary: 'Keep a file and get the address under which the hub serves it.',
  auth: 'core',
  responses: { 200: z.object({ media_url: url }) },
  errors: ['insufficient_storage'],
  async handle({ commands, address, services: { media } }, { sha256, bytes, type, ending, name }) {
    await media.alone(sha256, async () => {
      await commands.send('media', mediaActorId(sha256), 'media.store', { sha256, bytes, type, name });
      if (!(await media.has(sha256))) throw removedMeanwhile();
    });
    const named = extname(name).toLowerCase();
    const suffix = ending !== null ? `.${ending}` : plainEnding.test(named) ? named : '';
    return ok({ media_url: `${address}${mediaPath}/${sha256}${suffix}` });
  },
});

/** It lay there, and was removed with a person whose messages showed it, before it was known that it is needed. */
const removedMeanwhile = (): Failure =>
  new Failure('unavailable', 'The same file was being removed. Upload it again.', { retryAfter: 1 });

import type { ErasureOf } from '#machines/contact.ts';
import { contactActor } from '../contact/contract.ts';
import { mediaActorId } from '../ids.ts';
import { filesIn } from '../media-address.ts';
import type { Address, Runtime } from '../runtime/kind.ts';

/** What is known of a file, besides its content. */
export interface MediaFacts {
  /** SHA-256 of the content, lower-case hexadecimal. */
  sha256: string;
  bytes: number;
  /** What its first bytes say it is; `application/octet-stream` where they say nothing. */
  type: string;
  /** As who gave it calls it; without folders. */
  name: string;
}

/** The commands of a file: type → body and result. */
export type MediaCommands = {
  /** It lies in the media folder, for good. The same content again keeps the first name. */
  'media.store': { body: MediaFacts; result: null };
  /** Something that showed it is erased: where nothing else does, it goes. */
  'media.release': { body: { partOf: ErasureOf }; result: null };
  /** Nothing shows it. `forgotten`: it is forgotten now; else it was given again meanwhile. */
  'media.forget': { body: { stored: number | null }; result: { forgotten: boolean } };
  /** What `media.release` asked for is done. */
  'media.released': { body: { effectId: string; partOf: ErasureOf; removed: boolean }; result: null };
};

/** What a release asks for, in the outbox. */
export interface Release {
  partOf: ErasureOf;
  /** The file's `stored` of then. */
  stored: number | null;
}

/** The kind of the outbox's rows that have a file removed which nothing shows. */
export const releaseEffect = 'media-release';

/** The actor of a file with this content (SHA-256), as somebody whom other actors tell something. */
export const mediaActor = (sha256: string): Address<MediaCommands> => ({ kind: 'media', id: mediaActorId(sha256) });

/**
 * Tells the hub's own files that a text shows that it does no longer. Whoever waits for the erasure waits for them too.
 * @param text may be any, such as JSON
 */
export function releaseFiles(runtime: Pick<Runtime, 'tell'>, partOf: ErasureOf, text: string): void {
  const files = filesIn(text);
  if (files.length === 0) return;
  const { contact, erasure } = partOf;
  // Told before them, so that nobody counts the last part before the first file.
  runtime.tell(contactActor(contact), 'contact.parts-found', { erasure, parts: files.length });
  for (const file of files) runtime.tell(mediaActor(file), 'media.release', { partOf });
}

import type { Release } from '#actors/media/contract.ts';
import type { MediaReader } from '#actors/media/reader.ts';
import type { MediaFolder } from '#src/media/folder.ts';
import { Failure } from '#actors/errors.ts';
import type { Logger } from '#actors/ports.ts';
import { durably, type DurableSending } from './durably.ts';
import type { EffectRow, Performed } from './lanes.ts';

export interface MediaRemovalOptions extends DurableSending {
  reader: Pick<MediaReader, 'byKey'>;
  folder: Pick<MediaFolder, 'alone' | 'remove'>;
  log: Logger;
  /** Whether anything that is kept shows a file. */
  isShown(sha256: string): Promise<boolean>;
}

/**
 * Removes a file that something showed which is erased, unless something else shows it. One that is given again while this
 * goes on stays: its actor says so.
 */
export async function removeReleased(options: MediaRemovalOptions, effect: EffectRow): Promise<Performed> {
  const { reader, folder } = options;
  const { partOf, stored } = JSON.parse(effect.body ?? 'null') as Release;
  const file = reader.byKey(effect.subject);
  if (file === null) return { done: true };
  const { id, sha256 } = file;
  const origin = { cause: `effect ${effect.id}`, idempotencyKey: `effect ${effect.id}` };
  const isFree = !(await mayBeShown(options, sha256));
  const removed =
    isFree &&
    (await folder.alone(sha256, async () => {
      const { forgotten } = await durably(options, origin, (commands) =>
        commands.send('media', id, 'media.forget', { stored }),
      );
      if (forgotten) await folder.remove(sha256);
      return forgotten;
    }));
  const about = { effectId: effect.id, partOf, removed };
  await durably(options, origin, (commands) => commands.send('media', id, 'media.released', about));
  return { done: true };
}

/** A file of which nobody finds out in time whether something shows it stays: an erasure must come to its end. */
async function mayBeShown({ isShown, log }: MediaRemovalOptions, sha256: string): Promise<boolean> {
  try {
    return await isShown(sha256);
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== 'query_too_slow') throw error;
    log.warn({ sha256 }, 'media.kept');
    return true;
  }
}

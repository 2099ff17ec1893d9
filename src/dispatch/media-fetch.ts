import { mediaActorId } from '#actors/ids.ts';
import { mediaPath } from '#actors/media-address.ts';
import type { JsonObject } from '#actors/representation.ts';
import { Failure } from '#actors/errors.ts';
import type { Connector } from '#src/connectors/connector.ts';
import type { ConversationAtSource, MediaLink } from '#src/connectors/powers.ts';
import type { MediaFolder } from '#src/media/folder.ts';
import type { MediaBounds } from '#src/media/room.ts';
import { fits, typeOf } from '#src/media/types.ts';
import type { Downloads } from '#src/outgoing/downloads.ts';
import { durably } from './durably.ts';
import { type Fetched, fetching, type FetchOptions } from './fetches.ts';
import type { EffectRow, Performed } from './lanes.ts';

export interface MediaFetchOptions extends FetchOptions {
  folder: Pick<MediaFolder, 'keep' | 'alone' | 'has'>;
  downloads: Downloads;
  /** Bytes of a file at most, and types as `image/*`. */
  bounds: MediaBounds & { types: readonly string[] };
  /** The hub's, for whoever reads messages. */
  address: string;
}

/** A copy, as `metadata.media.<name>` shows it; or why there is none. */
type Copy = { media_url: string; type: string; bytes: number } | { error: string };

/**
 * Copies the files of a message into the hub, since the links of platforms expire or need a credential. The content stays
 * as it came; `metadata.media` says where each copy is.
 */
export const fetchMedia = (options: MediaFetchOptions, effect: EffectRow): Promise<Performed> =>
  fetching(options, effect, options.reader.message(effect.subject), async (connector, at, { message }) => {
    const copies: JsonObject = {};
    for (const link of connector.media?.locate(message.content) ?? []) {
      const copy = await copied(options, effect, connector, at, link);
      if (copy === null) return { kind: 'unreachable' };
      copies[link.name] = copy;
    }
    if (Object.keys(copies).length === 0) return { kind: 'nothing' };
    return { kind: 'said', metadata: { messageId: message.id, metadata: [{ media: copies }] } } satisfies Fetched;
  });

/** @returns null: it may be there later */
async function copied(
  options: MediaFetchOptions,
  effect: EffectRow,
  connector: Connector,
  at: ConversationAtSource,
  link: MediaLink,
): Promise<Copy | null> {
  const opened = await connector.media!.open(link, at, options.tools);
  if (opened === null) return { error: 'The platform has no such file any more.' };
  const download = await options.downloads.open(opened);
  if (download.kind === 'failed') {
    return download.isPassing ? null : { error: `The file was not copied: ${download.error}.` };
  }
  try {
    return await kept(options, effect, link, download.content);
  } catch (error) {
    if (!(error instanceof Failure)) return null;
    if (error.retryAfter !== undefined) return null;
    return { error: error.message };
  } finally {
    download.content.destroy();
  }
}

/** @throws Failure as `MediaFolder.keep`; `unsupported_media_type` */
async function kept(
  options: MediaFetchOptions,
  effect: EffectRow,
  link: MediaLink,
  content: Parameters<MediaFolder['keep']>[0],
): Promise<Copy> {
  const { folder, bounds, address } = options;
  let known = { type: '', ending: null as string | null };
  const { sha256, bytes } = await folder.keep(content, bounds, async ({ head }) => {
    known = await typeOf(head);
    if (!bounds.types.some((pattern) => fits(known.type, pattern))) {
      throw new Failure('unsupported_media_type', `Files of type ${known.type} are not taken: see media.types.`);
    }
  });
  const { type, ending } = known;
  await folder.alone(sha256, async () => {
    const origin = { cause: `effect ${effect.id}`, idempotencyKey: `effect ${effect.id} ${link.name}` };
    const facts = { sha256, bytes, type, name: link.name };
    await durably(options, origin, (commands) => commands.send('media', mediaActorId(sha256), 'media.store', facts));
    if (!(await folder.has(sha256))) throw new Failure('unavailable', 'It was being removed.', { retryAfter: 1 });
  });
  return { media_url: `${address}${mediaPath}/${sha256}${ending === null ? '' : `.${ending}`}`, type, bytes };
}

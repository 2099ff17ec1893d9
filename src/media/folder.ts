import { createHash } from 'node:crypto';
import { mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { Failure } from '#actors/errors.ts';
import type { Ids } from '#actors/ports.ts';

/** Content that lies in the folder. */
export interface KeptContent {
  /** Lower-case hexadecimal. */
  sha256: string;
  bytes: number;
  /** Its first bytes: enough to tell its type. */
  head: Uint8Array;
}

/** Part of a content: both ends belong to it. */
export interface ByteRange {
  start: number;
  end: number;
}

/** As many as signatures of files need. */
const headBytes = 4_100;
/** Each of them has a file open and a client that may be slow. */
const mostAtOnce = 16;
const retryAfterSeconds = 1;

/**
 * Contents of files, each under its hash: the same content is there once, and a name never means another content. What
 * comes in goes to the disk part by part, and gets its name when all of it is there.
 */
export class MediaFolder {
  readonly #path: string;
  readonly #ids: Ids;
  #arriving = 0;
  #tidied: Promise<void> | null = null;

  /** @param path is made with the first content */
  constructor(path: string, ids: Ids) {
    this.#path = path;
    this.#ids = ids;
  }

  /**
   * Durable when it resolves.
   * @param check sees the content before it gets its name; what it throws, it is not kept for
   * @throws Failure `body_too_large`, `overloaded`
   */
  async keep(
    content: AsyncIterable<Uint8Array>,
    mostBytes: number,
    check: (kept: KeptContent) => Promise<void>,
  ): Promise<KeptContent> {
    if (this.#arriving >= mostAtOnce) {
      throw new Failure('overloaded', 'Too many files are under way.', { retryAfter: retryAfterSeconds });
    }
    this.#arriving += 1;
    const unnamed = join(this.#arrivals, this.#ids.uuid());
    try {
      this.#tidied ??= this.#tidy();
      await this.#tidied;
      const kept = await written(unnamed, content, mostBytes);
      await check(kept);
      await this.#name(unnamed, kept.sha256);
      return kept;
    } finally {
      this.#arriving -= 1;
      await rm(unnamed, { force: true });
    }
  }

  /** The bytes of a content, from the disk as they are read; null: it is not there. */
  async read(sha256: string, range: ByteRange): Promise<Readable | null> {
    try {
      const file = await open(this.#fileOf(sha256));
      return file.createReadStream(range);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
      throw error;
    }
  }

  get #arrivals(): string {
    return join(this.#path, 'arriving');
  }

  /** Spread over folders, since some file systems are slow with very many entries in one. */
  #fileOf(sha256: string): string {
    return join(this.#path, sha256.slice(0, 2), sha256);
  }

  /** What a crash left half written is nobody's. */
  async #tidy(): Promise<void> {
    await rm(this.#arrivals, { recursive: true, force: true });
    await mkdir(this.#arrivals, { recursive: true });
  }

  async #name(unnamed: string, sha256: string): Promise<void> {
    const file = this.#fileOf(sha256);
    if ((await stat(file).catch(() => null)) !== null) return;
    const folder = dirname(file);
    await mkdir(folder, { recursive: true });
    await rename(unnamed, file);
    await synced(folder);
    await synced(this.#path);
  }
}

/** The folder that belongs to a database. */
export const mediaBeside = (file: string, ids: Ids): MediaFolder => new MediaFolder(join(dirname(file), 'media'), ids);

async function written(file: string, content: AsyncIterable<Uint8Array>, mostBytes: number): Promise<KeptContent> {
  await using handle = await open(file, 'wx');
  const hash = createHash('sha256');
  let head = new Uint8Array(0);
  let bytes = 0;
  for await (const part of content) {
    bytes += part.length;
    if (bytes > mostBytes) {
      throw new Failure('body_too_large', `The file is larger than ${mostBytes} bytes, which media.maxSize allows.`);
    }
    if (head.length < headBytes) head = new Uint8Array(Buffer.concat([head, part]).subarray(0, headBytes));
    hash.update(part);
    await handle.write(part);
  }
  await handle.sync();
  return { sha256: hash.digest('hex'), bytes, head };
}

async function synced(folder: string): Promise<void> {
  await using handle = await open(folder);
  await handle.sync();
}

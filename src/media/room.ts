import { mkdir, readdir, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { Failure } from '#actors/errors.ts';

/** How much a media folder may hold, in bytes. */
export interface MediaBounds {
  /** One content. */
  maxSize: number;
  /** All contents. */
  maxTotal: number;
  /** Of its disk this much stays free: what else lies there needs room, too. */
  minFree: number;
}

/** The disk is asked for what is free once for so many bytes. */
const bytesUnasked = 1024 * 1024;

/**
 * What the contents of a media folder take. They are counted once, with the first that comes in; from then on what comes
 * and goes is. Contents that are on their way count as well, so that those that come in together do not go over a bound.
 */
export class MediaRoom {
  readonly #path: string;
  readonly #freeAt: (path: string) => Promise<number>;
  #counted: Promise<void> | null = null;
  #bytes = 0;
  #unasked = bytesUnasked;

  /** @param freeAt bytes of a path's disk that the hub may use */
  constructor(path: string, freeAt = freeOnDisk) {
    this.#path = path;
    this.#freeAt = freeAt;
  }

  /** Counts the contents that are there, the first time. To be waited for before any content is taken or let go. */
  count(): Promise<void> {
    this.#counted ??= this.#countAll().catch((error: unknown) => {
      this.#counted = null;
      throw error;
    });
    return this.#counted;
  }

  /** Takes room for bytes that come next. @throws Failure `insufficient_storage` where there is none: nothing is taken */
  async take(bytes: number, { maxTotal, minFree }: MediaBounds): Promise<void> {
    if (this.#bytes + bytes > maxTotal) throw noRoom(`files have ${maxTotal} bytes at most, see media.maxTotal`);
    this.#bytes += bytes;
    this.#unasked += bytes;
    if (this.#unasked < bytesUnasked) return;
    this.#unasked = 0;
    if ((await this.#freeAt(this.#path)) - bytes >= minFree) return;
    // Whoever comes next asks again.
    this.#unasked = bytesUnasked;
    this.release(bytes);
    throw noRoom(`${minFree} bytes of the disk stay free, see media.minFree`);
  }

  /** Gives back what is not needed, or no longer. */
  release(bytes: number): void {
    this.#bytes -= bytes;
  }

  async #countAll(): Promise<void> {
    await mkdir(this.#path, { recursive: true });
    const entries = await readdir(this.#path, { recursive: true, withFileTypes: true });
    let bytes = 0;
    for (const entry of entries) {
      if (!entry.isFile()) continue;
      const found = await stat(join(entry.parentPath, entry.name)).catch(() => null);
      bytes += found?.size ?? 0;
    }
    this.#bytes = bytes;
  }
}

async function freeOnDisk(path: string): Promise<number> {
  const { bavail, bsize } = await statfs(path);
  return bavail * bsize;
}

const noRoom = (bound: string): Failure =>
  new Failure('insufficient_storage', `There is no room for the file: ${bound}. Nothing was kept.`);

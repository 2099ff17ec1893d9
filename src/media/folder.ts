import { createHash } from 'node:crypto';
import { mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { Failure } from '#actors/errors.ts';
import type { Clock, Ids } from '#actors/ports.ts';
import { type MediaBounds, MediaRoom } from './room.ts';

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
/** While others wait, a content that comes in slower than this gives way: bytes a second, once it is not new, in ms. */
const fairPace = 64 * 1024;
const newFor = 5_000;
const retryAfterSeconds = 1;

/** A content that is coming in. */
interface Arrival {
  content: Readable;
  /** Milliseconds, as the clock's `elapsed`. */
  since: number;
  bytes: number;
  /** Bytes of the folder's room that it has. */
  room: number;
}

/**
 * Contents of files, each under its hash: the same content is there once, and a name never means another content. What
 * comes in goes to the disk part by part, and gets its name when all of it is there.
 */
export class MediaFolder {
  readonly #path: string;
  readonly #ids: Ids;
  readonly #clock: Pick<Clock, 'elapsed'>;
  readonly #room: MediaRoom;
  readonly #arriving = new Set<Arrival>();
  #tidied: Promise<void> | null = null;
  /** What runs alone, by the content that it is about. */
  readonly #busy = new Map<string, Promise<void>>();

  /** @param path is made with the first content */
  constructor(path: string, ids: Ids, clock: Pick<Clock, 'elapsed'>) {
    this.#path = path;
    this.#ids = ids;
    this.#clock = clock;
    this.#room = new MediaRoom(path);
  }

  /**
   * Durable when it resolves. Where there is no room, the content that comes in slowest gives way, if it stalls.
   * @param check sees the content before it gets its name; what it throws, it is not kept for
   * @throws Failure `body_too_large`, `overloaded`, `insufficient_storage`; `unavailable` where the disk does not take it;
   * what `check` throws
   */
  async keep(
    content: Readable,
    bounds: MediaBounds,
    check: (kept: KeptContent) => Promise<void>,
  ): Promise<KeptContent> {
    this.#makeRoom();
    const arrival: Arrival = { content, since: this.#clock.elapsed(), bytes: 0, room: 0 };
    this.#arriving.add(arrival);
    try {
      return await this.#take(arrival, bounds, check);
    } catch (error) {
      throw isOfSystem(error) ? unavailable(error) : error;
    } finally {
      this.#arriving.delete(arrival);
      this.#room.release(arrival.room);
    }
  }

  async #take(
    arrival: Arrival,
    bounds: MediaBounds,
    check: (kept: KeptContent) => Promise<void>,
  ): Promise<KeptContent> {
    const unnamed = join(this.#arrivals, this.#ids.uuid());
    try {
      await this.#tidyOnce();
      await this.#room.count();
      // Somebody may have taken it away.
      await mkdir(this.#arrivals, { recursive: true });
      const kept = await written(unnamed, this.#bounded(arrival, bounds));
      await check(kept);
      // What was there already takes no more room.
      if (await this.#name(unnamed, kept.sha256)) arrival.room = 0;
      return kept;
    } finally {
      await rm(unnamed, { force: true });
    }
  }

  /** The parts of a content, as they come, within the bounds. */
  async *#bounded(arrival: Arrival, bounds: MediaBounds): AsyncGenerator<Uint8Array> {
    for await (const part of arrival.content as AsyncIterable<Uint8Array>) {
      arrival.bytes += part.length;
      if (arrival.bytes > bounds.maxSize) throw tooLarge(bounds.maxSize);
      await this.#room.take(part.length, bounds);
      arrival.room += part.length;
      yield part;
    }
  }

  /** Whoever stalls never keeps out others for long. @throws Failure `overloaded` */
  #makeRoom(): void {
    if (this.#arriving.size < mostAtOnce) return;
    const paces = [...this.#arriving].map((arrival) => ({ arrival, pace: this.#paceOf(arrival) }));
    const slowest = paces.reduce((least, each) => (each.pace < least.pace ? each : least));
    if (slowest.pace >= fairPace) throw overloaded();
    this.#arriving.delete(slowest.arrival);
    slowest.arrival.content.destroy(overloaded());
  }

  /** Bytes a second; of a new one, or one that is all there, nobody knows that it is slow. */
  #paceOf({ content, since, bytes }: Arrival): number {
    const ms = this.#clock.elapsed() - since;
    return ms < newFor || content.readableEnded ? Number.POSITIVE_INFINITY : (bytes * 1_000) / ms;
  }

  /** Runs something while nothing else runs that is about the same content. */
  async alone<T>(sha256: string, work: () => Promise<T>): Promise<T> {
    const before = this.#busy.get(sha256) ?? Promise.resolve();
    const mine = before.then(work);
    const settled = mine.then(
      () => {},
      () => {},
    );
    this.#busy.set(sha256, settled);
    try {
      return await mine;
    } finally {
      if (this.#busy.get(sha256) === settled) this.#busy.delete(sha256);
    }
  }

  async has(sha256: string): Promise<boolean> {
    return (await stat(this.#fileOf(sha256)).catch(() => null)) !== null;
  }

  /** Removes a content, if it is there. */
  async remove(sha256: string): Promise<void> {
    const file = this.#fileOf(sha256);
    await this.#room.count();
    const found = await stat(file).catch(() => null);
    await rm(file, { force: true });
    this.#room.release(found?.size ?? 0);
    await synced(dirname(file)).catch((error: unknown) => {
      if (!isMissing(error)) throw error;
    });
  }

  /** The bytes of a content, from the disk as they are read; null: it is not there, or not all of it. */
  async read(sha256: string, range: ByteRange): Promise<Readable | null> {
    try {
      const file = await open(this.#fileOf(sha256));
      const { size } = await file.stat();
      if (range.end < size) return file.createReadStream(range);
      await file.close();
      return null;
    } catch (error) {
      if (isMissing(error)) return null;
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

  /** Before the first content; what kept it from being done may be over with the next one. */
  #tidyOnce(): Promise<void> {
    this.#tidied ??= this.#tidy().catch((error: unknown) => {
      this.#tidied = null;
      throw error;
    });
    return this.#tidied;
  }

  /** What a crash left half written is nobody's. */
  async #tidy(): Promise<void> {
    await rm(this.#arrivals, { recursive: true, force: true });
  }

  /** Whether it is new. */
  async #name(unnamed: string, sha256: string): Promise<boolean> {
    const file = this.#fileOf(sha256);
    const folder = dirname(file);
    const isNew = !(await this.has(sha256));
    if (isNew) {
      await mkdir(folder, { recursive: true });
      await rename(unnamed, file);
    }
    // Also where it was there: who has named it may not have come so far.
    await synced(folder);
    await synced(this.#path);
    return isNew;
  }
}

/** The folder that belongs to a database. */
export const mediaBeside = (file: string, ids: Ids, clock: Pick<Clock, 'elapsed'>): MediaFolder =>
  new MediaFolder(join(dirname(file), 'media'), ids, clock);

async function written(file: string, content: AsyncIterable<Uint8Array>): Promise<KeptContent> {
  await using handle = await open(file, 'wx');
  const hash = createHash('sha256');
  let head = new Uint8Array(0);
  let bytes = 0;
  for await (const part of content) {
    bytes += part.length;
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

const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT';

/** Of a call of the operating system: the disk is full, broken or not to be written, or there are too many open files. */
const isOfSystem = (error: unknown): error is NodeJS.ErrnoException => typeof Object(error).syscall === 'string';

const unavailable = ({ code }: NodeJS.ErrnoException): Failure =>
  new Failure('unavailable', `The hub can not keep the file: ${code}. Nothing was kept; try again.`, {
    retryAfter: retryAfterSeconds,
  });

const tooLarge = (maxSize: number): Failure =>
  new Failure('body_too_large', `The file is larger than ${maxSize} bytes, which media.maxSize allows.`);

const overloaded = (): Failure =>
  new Failure('overloaded', 'Too many files are under way.', { retryAfter: retryAfterSeconds });

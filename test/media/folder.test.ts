import { mkdtempSync, readdirSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { describe, expect, it, vi } from 'vitest';
import { MediaFolder } from '#src/media/folder.ts';
import { MediaRoom } from '#src/media/room.ts';
import { SystemIds } from '#src/runtime/system.ts';
import { codeOf } from '../_support/failures.ts';
import { ManualClock } from '../_support/manual-clock.ts';

const bounds = { maxSize: 1_000_000, maxTotal: 2 ** 30, minFree: 1 };
const anything = async () => {};

/** A media folder in a new place, and its clock. */
function newFolder() {
  const root = mkdtempSync(join(tmpdir(), 'parley-media-'));
  const path = join(root, 'media');
  const clock = new ManualClock();
  return {
    ...{ path, clock, folder: new MediaFolder(path, new SystemIds(), clock) },
    [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }),
  };
}

describe('a media folder', () => {
  it('works when what kept it from being made is over', async () => {
    using place = newFolder();
    const keep = (text: string) => place.folder.keep(Readable.from([Buffer.from(text)]), bounds, anything);
    writeFileSync(place.path, 'in the way');
    expect(await codeOf(() => keep('first'))).toBe('unavailable');
    rmSync(place.path);
    expect((await keep('second')).bytes).toBe(6);
  });
});

describe('a media folder that somebody else touches', () => {
  const keepIn = ({ folder }: ReturnType<typeof newFolder>, text: string) =>
    folder.keep(Readable.from([Buffer.from(text)]), bounds, anything);

  it('takes files after the place where they come in was removed', async () => {
    using place = newFolder();
    await keepIn(place, 'first');
    rmSync(join(place.path, 'arriving'), { recursive: true });
    expect((await keepIn(place, 'second')).bytes).toBe(6);
  });

  it('has no content that was cut short', async () => {
    using place = newFolder();
    const { sha256 } = await keepIn(place, '0123456789');
    truncateSync(join(place.path, sha256.slice(0, 2), sha256), 5);
    expect(await place.folder.read(sha256, { start: 0, end: 9 })).toBeNull();
    const part = await place.folder.read(sha256, { start: 0, end: 4 });
    expect(await part!.toArray()).toEqual([Buffer.from('01234')]);
  });
});

describe('files that come in', () => {
  /** Sixteen of them, as many as there may be; `parts` are bytes of each that have come. */
  const fill = (folder: MediaFolder) => {
    const contents = Array.from({ length: 16 }, () => new PassThrough());
    const kept = contents.map((content) => codeOf(() => folder.keep(content, bounds, anything)));
    return { contents, kept };
  };
  /** Resolves when each of them has begun to reach the disk. */
  const haveCome = (path: string) =>
    vi.waitFor(() => {
      const arriving = join(path, 'arriving');
      const sizes = readdirSync(arriving).map((name) => statSync(join(arriving, name)).size);
      expect(sizes.filter((size) => size > 0)).toHaveLength(16);
    });
  const another = (folder: MediaFolder) =>
    codeOf(() => folder.keep(Readable.from([Buffer.from('another')]), bounds, anything));

  it('keep out another one while they are new', async () => {
    using place = newFolder();
    const { contents, kept } = fill(place.folder);
    expect(await another(place.folder)).toBe('overloaded');
    for (const content of contents) content.end('whole');
    expect(await Promise.all(kept)).toEqual(Array(16).fill('none'));
  });

  it('give way when they stall, the slowest first', async () => {
    using place = newFolder();
    const { contents, kept } = fill(place.folder);
    for (const [n, content] of contents.entries()) content.write(Buffer.alloc(n === 5 ? 10 : 100));
    await haveCome(place.path);
    place.clock.advance(10_000);
    expect(await another(place.folder)).toBe('none');
    expect(await kept[5]).toBe('overloaded');
    for (const content of contents) content.end();
    expect((await Promise.all(kept)).filter((code) => code === 'none')).toHaveLength(15);
  });

  it('stay while they come in at a fair pace', async () => {
    using place = newFolder();
    const { contents, kept } = fill(place.folder);
    for (const content of contents) content.write(Buffer.alloc(900_000));
    await haveCome(place.path);
    place.clock.advance(10_000);
    expect(await another(place.folder)).toBe('overloaded');
    for (const content of contents) content.end();
    expect(await Promise.all(kept)).toEqual(Array(16).fill('none'));
  });
});

describe('the room of a media folder', () => {
  const keep = (folder: MediaFolder, bytes: number, more: Partial<typeof bounds> = {}, letter = 'a') =>
    codeOf(() =>
      folder.keep(Readable.from([Buffer.alloc(bytes, letter)]), { ...bounds, maxTotal: 1_000, ...more }, anything),
    );

  it('is kept to, and what is refused takes none', async () => {
    using place = newFolder();
    expect(await keep(place.folder, 600)).toBe('none');
    expect(await keep(place.folder, 401, {}, 'b')).toBe('insufficient_storage');
    expect(await keep(place.folder, 400, {}, 'c')).toBe('none');
    expect(readdirSync(join(place.path, 'arriving'))).toEqual([]);
  });

  it('is kept to by those that come in together', async () => {
    using place = newFolder();
    const codes = await Promise.all(['a', 'b', 'c'].map((letter) => keep(place.folder, 500, {}, letter)));
    expect(codes.toSorted()).toEqual(['insufficient_storage', 'none', 'none']);
  });

  it('is taken once by the same content', async () => {
    using place = newFolder();
    for (const _ of [1, 2, 3]) expect(await keep(place.folder, 500)).toBe('none');
    expect(await keep(place.folder, 500, {}, 'b')).toBe('none');
  });

  it('is free again when a content is removed', async () => {
    using place = newFolder();
    const { sha256 } = await place.folder.keep(Readable.from([Buffer.alloc(900)]), bounds, anything);
    expect(await keep(place.folder, 200)).toBe('insufficient_storage');
    await place.folder.remove(sha256);
    await place.folder.remove(sha256);
    expect(await keep(place.folder, 1_000)).toBe('none');
    expect(await keep(place.folder, 1, {}, 'b')).toBe('insufficient_storage');
  });

  it('has what was there before', async () => {
    using place = newFolder();
    await keep(place.folder, 900);
    const later = new MediaFolder(place.path, new SystemIds(), place.clock);
    expect(await keep(later, 101, {}, 'b')).toBe('insufficient_storage');
    expect(await keep(later, 100, {}, 'b')).toBe('none');
  });

  it('ends where the disk is to stay free', async () => {
    using place = newFolder();
    expect(await keep(place.folder, 1, { minFree: 2 ** 62 })).toBe('insufficient_storage');
    expect(await keep(place.folder, 1)).toBe('none');
  });

  it('ends there in the middle of a content too', async () => {
    const mebibyte = 1024 * 1024;
    const free = [10 * mebibyte, 9 * mebibyte, 3 * mebibyte - 1, 3 * mebibyte];
    const room = new MediaRoom('', async () => free.shift()!);
    const take = () => codeOf(() => room.take(mebibyte, { ...bounds, minFree: 2 * mebibyte }));
    const taken = [await take(), await take(), await take(), await take()];
    expect(taken).toEqual(['none', 'none', 'insufficient_storage', 'none']);
  });
});

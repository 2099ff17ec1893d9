import { expect, test } from 'vitest';
import { releaseEffect } from '#actors/media/contract.ts';
import { Failure } from '#actors/errors.ts';
import { mediaActorId } from '#actors/ids.ts';
import { removeReleased } from '#src/dispatch/media-removal.ts';
import { ActorSystem, silent } from '../_support/actor-system.ts';
import { rowsOf } from '../actors/support.ts';

test('a file stays where nobody finds out in time who shows it', async () => {
  await using system = new ActorSystem();
  const sha256 = 'a'.repeat(64);
  const id = mediaActorId(sha256);
  const commands = system.commands();
  await commands.send('media', id, 'media.store', { sha256, bytes: 1, type: 'image/png', name: 'a.png' });
  const partOf = { contact: '0192f3a4-5b6c-7d8e-9f01-23456789abcd', erasure: 1 };
  await commands.send('media', id, 'media.release', { partOf });
  using reader = Object.assign(system.reader(), { [Symbol.dispose]: () => reader.close() });
  const [effect] = reader.outbox.after(0, -1, 10);
  expect(effect?.kind).toBe(releaseEffect);
  const removed: string[] = [];
  const folder = {
    alone: <T>(_: string, work: () => Promise<T>) => work(),
    remove: async (name: string) => void removed.push(name),
  };
  const isShown = () => Promise.reject(new Failure('query_too_slow', 'It took too long.'));
  const sending = { clock: system.clock, commandsFor: () => commands, stopping: () => false };
  expect(await removeReleased({ ...sending, reader: reader.media, folder, log: silent, isShown }, effect!)).toEqual({
    done: true,
  });
  expect(removed).toEqual([]);
  expect(reader.media.find(sha256)).toMatchObject({ sha256 });
  const told = rowsOf(system.file).outbox.map(({ body }) => JSON.parse(body as string) as Record<string, unknown>);
  expect(told).toMatchObject([{ type: 'contact.part-erased', body: { erasure: 1, erased: { files: 0 } } }]);
});

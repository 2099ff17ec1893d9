import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { CommandSender } from '#actors/commands.ts';
import { verifyFile } from '#actors/journal/verify.ts';
import { kinds, kindTables } from '#actors/kinds.ts';
import { localLog } from '#actors/log/local-log.ts';
import { openHostStore } from '#actors/store/host-store.ts';
import { lockInstance } from '#actors/store/instance-lock.ts';
import { startHost } from '#src/node/owner-host.ts';
import { commandSenders } from '#src/runtime/command-sender.ts';
import { SystemIds } from '#src/runtime/system.ts';
import { connectTestChannel, conversationOf, ingestOf, silent } from '../_support/actor-system.ts';
import { ManualClock } from '../_support/manual-clock.ts';
import { MemoryBus } from '../_support/memory-bus.ts';
import { codeOf } from '../_support/failures.ts';
import { rowsOf } from './support.ts';

/** A hub's writer on a file, whoever else writes it. */
function writer(file: string): { commands: CommandSender } & AsyncDisposable {
  const [bus, clock] = [new MemoryBus(), new ManualClock()];
  const store = openHostStore({ file, durability: 'normal', shards: 1, tables: kindTables });
  const host = startHost({ store, log: localLog, bus, clock, logger: silent, shards: 1 });
  return {
    commands: commandSenders({ bus, clock, ids: new SystemIds(), shards: 1, patience: 200 })({ cause: 'test' }),
    async [Symbol.asyncDispose]() {
      await host.stop();
      store.close();
    },
  };
}

test('two hubs on a file, its lock removed, lose nothing', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'parley-test-'));
  const file = join(folder, 'parley.db');
  const unlock = lockInstance(folder);
  expect(() => lockInstance(folder)).toThrow('Another hub works');
  rmSync(join(folder, 'hub.lock'));
  const unlockSecond = lockInstance(folder);
  {
    await using first = writer(file);
    await connectTestChannel(first.commands);
    const ingest = (hub: { commands: CommandSender }, text: string) =>
      codeOf(() =>
        hub.commands.send('conversation', conversationOf('ann'), 'messages.ingest', ingestOf('ann', [text], text)),
      );
    expect(await ingest(first, 'before')).toBe('none');
    await using second = writer(file);
    expect(await ingest(second, 'second')).toBe('none');
    expect(await ingest(first, 'first')).toBe('unavailable');
    expect(await ingest(second, 'second again')).toBe('none');
  }
  const texts = rowsOf(file).message.map(({ content }) => (JSON.parse(content as string) as { text: string }).text);
  expect(texts).toEqual(['before', 'second', 'second again']);
  expect(verifyFile(file, kinds).problems).toEqual([]);
  unlock();
  unlockSecond();
  rmSync(folder, { recursive: true });
});

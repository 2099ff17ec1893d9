import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { Failure } from '#actors/errors.ts';
import { parseFilter } from '#src/http/filters/grammar.ts';
import { ActorSystem, connectTestChannel, conversationOf, ingestOf } from '../_support/actor-system.ts';

const pageBytes = 4_096;
const filters = ['text:hello', 'text:word7*', 'metadata.plan:gold', 'metadata.n:[10 TO 20]', '-metadata.plan:gold'];

/** People who said different things, so that the index has pages of every kind. */
async function started(): Promise<{ system: ActorSystem; file: string } & AsyncDisposable> {
  const system = new ActorSystem();
  const commands = system.commands();
  await connectTestChannel(commands);
  for (let n = 0; n < 16; n++) {
    const words = Array.from({ length: 60 }, (_, word) => `word${n * 60 + word}`).join(' ');
    const said = ingestOf(`p${n}`, [`hello ${words}`]);
    const conversation = conversationOf(`p${n}`);
    await commands.send('conversation', conversation, 'messages.ingest', said);
    const metadata = { plan: n % 3 === 0 ? 'gold' : 'silver', n, note: 'x'.repeat(200) };
    await commands.send('conversation', conversation, 'metadata.merge', {
      about: [{ messageId: null, metadata: [metadata] }],
    });
  }
  return {
    ...{ system, file: system.file.replace('.db', '.search.db') },
    [Symbol.asyncDispose]: () => system[Symbol.asyncDispose](),
  };
}

type Reader = ReturnType<ActorSystem['reader']>;

/** How many each filter finds, as soon as the index says so; it may be refused now and then, and is not for long. */
function found({ conversations }: Reader): number[] {
  const ask = (filter: string, tries = 5): number => {
    try {
      return conversations.page({ limit: 1, from: null }, parseFilter(filter)).total;
    } catch (error) {
      if (!(error instanceof Failure) || error.code !== 'unavailable' || tries === 0) throw error;
      return ask(filter, tries - 1);
    }
  };
  return filters.map((filter) => ask(filter));
}

/** The bytes of a file, all of them in it. */
function settled(file: string): Buffer {
  const db = new Database(file);
  db.pragma('wal_checkpoint(TRUNCATE)');
  db.close();
  return readFileSync(file);
}

const overwritten = (bytes: Buffer, page: number, byte: number): Buffer =>
  Buffer.from(bytes).fill(byte, page * pageBytes, (page + 1) * pageBytes);

test.each([0x00, 0xee])(
  'no page that was overwritten with %i makes a list wrong',
  async (byte) => {
    await using hub = await started();
    const first = hub.system.reader();
    const truth = found(first);
    expect(truth).toEqual([16, expect.any(Number), 6, 6, 10]);
    first.close();
    const whole = settled(hub.file);
    for (let page = 0; page < whole.length / pageBytes; page++) {
      for (const suffix of ['-wal', '-shm']) rmSync(hub.file + suffix, { force: true });
      writeFileSync(hub.file, overwritten(whole, page, byte));
      const reader = hub.system.reader();
      expect([page, found(reader)]).toEqual([page, truth]);
      reader.close();
    }
  },
  20_000,
);

test('nor does one that is overwritten while it is used', async () => {
  await using hub = await started();
  const reader = hub.system.reader();
  const truth = found(reader);
  const pages = settled(hub.file).length / pageBytes;
  for (let page = 0; page < pages; page++) {
    writeFileSync(hub.file, overwritten(settled(hub.file), page % pages, 0xee));
    expect([page, found(reader)]).toEqual([page, truth]);
  }
  reader.close();
}, 20_000);

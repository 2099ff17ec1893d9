import { closeSync, mkdtempSync, openSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { checkpointBounds, Checkpoints } from '#actors/store/checkpoints.ts';
import { type Connection, openForReading, openForWriting } from '#actors/store/database.ts';
import { writeAheadLog } from '#actors/store/write-ahead-log.ts';
import { CheckpointThread } from '#src/runtime/checkpoint-thread.ts';
import { ManualClock } from '../_support/manual-clock.ts';

const mb = 1_000_000;
/** Rows of a megabyte: each commit is 256 pages. */
const row = 'x'.repeat(mb);

let folder: string;
let file: string;
let descriptor: number;
let db: Connection;
let thread: CheckpointThread;
let clock: ManualClock;
let checkpoints: Checkpoints;
let own: number;
let problems: unknown[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'parley-test-'));
  file = join(folder, 'parley.db');
  db = openForWriting(file, 'normal');
  db.exec('CREATE TABLE big (key INTEGER PRIMARY KEY, body TEXT)');
  descriptor = openSync(file, 'a');
  problems = [];
  thread = new CheckpointThread({ file, descriptor });
  clock = new ManualClock();
  own = 0;
  const log = writeAheadLog(db);
  const store = {
    logPages: log.pages,
    checkpoint: () => {
      own++;
      return log.move('PASSIVE');
    },
  };
  checkpoints = new Checkpoints(store, clock, { began: (...problem) => problems.push(problem), ended() {} }, thread);
});

afterEach(async () => {
  await thread.stop();
  db.close();
  closeSync(descriptor);
  rmSync(folder, { recursive: true, force: true });
});

const logMb = (): number => statSync(`${file}-wal`).size / mb;
async function write(rows: number): Promise<void> {
  const replace = db.prepare('INSERT OR REPLACE INTO big (key, body) VALUES (?, ?)');
  for (let i = 0; i < rows; i++) {
    replace.run(i % 8, row);
    checkpoints.committed();
    await turn();
  }
}

/** Commits little by little until a condition holds. */
async function writeUntil(condition: () => boolean): Promise<void> {
  const touch = db.prepare('INSERT OR REPLACE INTO big (key, body) VALUES (100, ?)');
  for (let i = 0; !condition(); i++) {
    touch.run(String(i));
    checkpoints.committed();
    await turn();
  }
}

test('the log of a busy writer is started anew again and again', async () => {
  await write(100);
  await writeUntil(() => writeAheadLog(db).pages().pages < checkpointBounds.full);
  await writeUntil(() => logMb() < 40);
  expect(own).toBeGreaterThan(0);
  expect(problems).toEqual([]);
  expect(db.pragma('integrity_check', { simple: true })).toBe('ok');
});

test('the log shrinks when a long reader has gone', async () => {
  const reader = openForReading(file);
  reader.exec('BEGIN');
  reader.prepare('SELECT count(*) FROM big').get();
  await write(100);
  expect(logMb()).toBeGreaterThan(99);
  reader.close();
  await writeUntil(() => logMb() < 40);
  expect(problems).toEqual([]);
});

test('the log of an idle writer is emptied', async () => {
  await write(2);
  expect(logMb()).toBeGreaterThan(2);
  clock.advance(10_000);
  await expect.poll(logMb).toBe(0);
  expect(own).toBe(0);
});

test('a thread that can not open the file says so', async () => {
  const broken = new CheckpointThread({ file: join(folder, 'none.db'), descriptor });
  const moved = await new Promise((resolve) => broken.move(1, true, resolve));
  expect(moved).toEqual({ emptied: false, problem: expect.stringContaining('unable to open database file') });
  await broken.stop();
});

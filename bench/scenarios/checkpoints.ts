import { randomBytes } from 'node:crypto';
import { closeSync, openSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as pass } from 'node:timers/promises';
import { Problems } from '#actors/problems.ts';
import { Checkpoints, type Mover } from '#actors/store/checkpoints.ts';
import { type Connection, openForReading, openForWriting } from '#actors/store/database.ts';
import { writeAheadLog } from '#actors/store/write-ahead-log.ts';
import { CheckpointThread } from '#src/runtime/checkpoint-thread.ts';
import { systemClock } from '#src/runtime/system.ts';
import type { Figure, Scenario } from '../scenario.ts';
import { temporaryFolder } from '../server-process.ts';
import { median, percentile } from '../statistics.ts';

const storedRows = 200_000;
const rowBytes = 1_000;
const mostLogMb = 64;
const mb = 1_000_000;
/** How long a reader holds the log in each round, as a share of it. */
const readerShare = 0.3;

interface Round {
  commitsPerSecond: number;
  /** From the start of a commit until the next one could start, in ms. */
  p50: number;
  p99: number;
  max: number;
  /** Of the log's file, in MB: without a long reader, with one, and at the end. */
  log: { usual: number; read: number; end: number };
}

const silent = { info() {}, warn() {}, error: (fields: object) => console.error(fields) };

/** A file with rows that lie in the order of their keys and in the order of chance, as messages and their ids do. */
function openFilled(file: string, rows: number): { db: Connection; write(): void } {
  const db = openForWriting(file, 'full');
  db.exec('CREATE TABLE bench (key INTEGER PRIMARY KEY, id BLOB NOT NULL, body BLOB NOT NULL) STRICT');
  db.exec('CREATE UNIQUE INDEX bench_id ON bench (id)');
  const insert = db.prepare('INSERT INTO bench (id, body) VALUES (?, ?)');
  const body = randomBytes(rowBytes);
  const write = (): void => void insert.run(randomBytes(16), body);
  db.transaction(() => {
    for (let i = 0; i < rows; i++) write();
  })();
  writeAheadLog(db).move('TRUNCATE');
  return { db, write };
}

/** Commits one row after another for a while; in the last part of it a reader holds on to what it first saw. */
async function writeFor(file: string, seconds: number, rows: number, mover: Mover | null): Promise<Round> {
  const { db, write } = openFilled(file, rows);
  const log = writeAheadLog(db);
  const store = { logPages: log.pages, checkpoint: () => log.move('PASSIVE') };
  const checkpoints = new Checkpoints(store, systemClock, new Problems(silent), mover);
  const size = (): number => statSync(`${file}-wal`).size / mb;
  const times: number[] = [];
  const commits = async (until: number): Promise<number> => {
    let most = 0;
    for (let from = performance.now(); from < until; from = performance.now()) {
      write();
      checkpoints.committed();
      times.push(performance.now() - from);
      most = Math.max(most, size());
      await pass();
    }
    return most;
  };
  const started = performance.now();
  const at = (share: number): number => started + seconds * 1_000 * share;
  const usual = await commits(at(1 - 2 * readerShare));
  const counted = times.toSorted((a, b) => a - b);
  const commitsPerSecond = times.length / (seconds * (1 - 2 * readerShare));
  const reader = openForReading(file);
  reader.exec('BEGIN');
  reader.prepare('SELECT count(*) FROM bench WHERE key < 10').get();
  const read = await commits(at(1 - readerShare));
  reader.close();
  await commits(at(1));
  checkpoints.stop();
  const end = size();
  const ms = { p50: percentile(counted, 0.5), p99: percentile(counted, 0.99), max: counted.at(-1) ?? 0 };
  if (mover instanceof CheckpointThread) await mover.stop();
  db.close();
  return { commitsPerSecond, ...ms, log: { usual, read, end } };
}

async function round(inThread: boolean, seconds: number, rows: number): Promise<Round> {
  const folder = temporaryFolder();
  const file = join(folder, 'bench.db');
  const descriptor = openSync(file, 'a');
  try {
    const mover = inThread ? new CheckpointThread({ file, descriptor }) : null;
    return await writeFor(file, seconds, rows, mover);
  } finally {
    closeSync(descriptor);
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What checkpoints cost a writer that commits row after row, and how large its log gets: beside it and by itself. */
export const checkpoints: Scenario = {
  name: 'checkpoints',
  async run({ rounds, seconds, shrink }, say) {
    const own: Round[] = [];
    const beside: Round[] = [];
    for (let i = 0; i < rounds; i++) {
      for (const [side, name, inThread] of [
        [own, 'by the writer', false],
        [beside, 'in a thread', true],
      ] as const) {
        const one = await round(inThread, seconds * 3, storedRows / shrink);
        const { usual, read, end } = one.log;
        say(
          `${name}: ${one.commitsPerSecond.toFixed(0)}/s, p50 ${one.p50.toFixed(2)}, p99 ${one.p99.toFixed(2)}, ` +
            `max ${one.max.toFixed(1)} ms; log ${usual.toFixed(0)}, ${read.toFixed(0)} with a reader, then ${end.toFixed(0)} MB`,
        );
        side.push(one);
      }
    }
    const of = (rounds: Round[], value: (one: Round) => number): number => median(rounds.map(value));
    const figure = (what: string, unit: string, value: (one: Round) => number): Figure => ({
      what,
      unit,
      measured: of(beside, value),
      baseline: { what: 'by the writer', value: of(own, value) },
    });
    return [
      { ...figure('commits of one row', '/s', (one) => one.commitsPerSecond), aim: { of: 'ratio', least: 1 } },
      figure('p50 of a commit', 'ms', ({ p50 }) => p50),
      figure('p99 of a commit', 'ms', ({ p99 }) => p99),
      { ...figure('longest commit', 'ms', ({ max }) => max), aim: { of: 'ratio', most: 0.5 } },
      { ...figure('largest log', 'MB', ({ log }) => log.usual), aim: { of: 'measured', most: mostLogMb } },
      figure('largest log, a reader in it', 'MB', ({ log }) => log.read),
      { ...figure('log after that reader', 'MB', ({ log }) => log.end), aim: { of: 'measured', most: mostLogMb } },
    ] satisfies Figure[];
  },
};

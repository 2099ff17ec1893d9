import { readlinkSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';
import { basename } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { Failure } from '#actors/errors.ts';
import type { Logger } from '#actors/ports.ts';
import { openStoreReader } from '#actors/store-reader.ts';
import { ownHeap, releaseCompileCache, trimWhenIdle } from './idle-memory.ts';
import { readLong } from './long-reads.ts';
import type { ReaderAnswer, ReaderQuestion, ReaderReport, ReaderRequest, ReaderStart } from './reader-thread.ts';
import { systemClock } from './system.ts';

/** The worker thread that does long reads, one at a time. */
const { file, shards, sealKey, cut } = workerData as ReaderStart;
const port = parentPort;
if (port === null) throw new Error('Long reads run in a worker thread.');
/** A third of the processor, where another thread wants the same one. */
const niceness = 5;
yieldToOthers();
releaseCompileCache();
const tell =
  (level: ReaderReport['level']): Logger['info'] =>
  (fields, event) =>
    port.postMessage({ level, fields, event } satisfies ReaderReport);
const log: Logger = { info: tell('info'), warn: tell('warn'), error: tell('error') };
let current = 0;
const store = openStoreReader(file, shards, sealKey, () => Atomics.load(cut, 0) < current);

/** How long the index of filters follows in one go: who asks meanwhile waits so long. In ms, as those below. */
const sliceMs = 10;
/** Between two goes while the hub is at work: a twentieth of a processor is all it loses. */
const busyPauseMs = 190;
/** Behind a look that found nothing left. */
const lookAgainMs = 250;
const reportEveryMs = 5_000;

let timer: NodeJS.Timeout | undefined;
let seen = 0;
let reportedAt = performance.now();

/** Has the index of filters follow whenever nobody asks, so that who asks finds little left to do. */
function follow(): void {
  try {
    const progress = store.conversations.follow(sliceMs);
    report(progress);
    const isQuiet = progress?.of === seen;
    seen = progress?.of ?? 0;
    timer = setTimeout(follow, progress === null ? lookAgainMs : isQuiet ? 0 : busyPauseMs);
  } catch (error) {
    // Who asks next follows by itself, and says what is wrong.
    log.error({ reason: String(error) }, 'search.stopped');
  }
}

/** Tells of what takes long. */
function report(progress: ReturnType<typeof store.conversations.follow>): void {
  const now = performance.now();
  if (progress === null) {
    reportedAt = now;
  } else if (now - reportedAt >= reportEveryMs) {
    reportedAt = now;
    log.info({ ...progress }, 'search.following');
  }
}

/**
 * A long read takes little of the processor from the threads that answer and write. Linux knows threads by ids like those of
 * processes; elsewhere they share evenly.
 */
function yieldToOthers(): void {
  try {
    const thread = Number(basename(readlinkSync('/proc/thread-self')));
    setPriority(thread, Math.max(getPriority(), niceness));
  } catch {
    // Only a kindness: without it everything works.
  }
}

function answerTo({ name, asked, number }: ReaderQuestion): ReaderAnswer {
  current = number;
  try {
    return { result: readLong(store, name, asked) };
  } catch (error) {
    if (error instanceof Failure) return { failure: error.toData() };
    return { error, code: (error as { code?: unknown }).code };
  }
}

port.on('message', (request: ReaderRequest) => {
  if (request === 'forget') return store.forgetErased();
  if (request !== 'stop') return port.postMessage(answerTo(request));
  clearTimeout(timer);
  stopTrimming();
  store.close();
  port.close();
});
port.postMessage('ready');
timer = setTimeout(follow, 0);
const stopTrimming = trimWhenIdle(ownHeap(), systemClock, log);

import { readFileSync } from 'node:fs';

/**
 * Preloaded into a process and its threads: the clock of this program shows the machine's time plus what the file in
 * TEST_CLOCK_FILE says. When that grows, timers whose time has come by then run at once. It makes days of backing off
 * testable with the real hub in a process of its own.
 *
 * The file holds `<ms to add> <machine's time from which on>`: everyone reads it before that time and moves together.
 */
const file = process.env.TEST_CLOCK_FILE ?? '';
/** Shorter waits and the limit of one webhook call stay in the machine's time. */
const shortestMoved = 1_500;
const callLimit = 15_000;
const lookEvery = 5;

const realNow = Date.now;
const realSetTimeout = globalThis.setTimeout;
let offset = 0;
let next = read();
let readAt = realNow();
/** Pending long timers: the time at which each is due, and what it does. */
const pending = new Map<NodeJS.Timeout, { due: number; run: () => void }>();

Date.now = () => {
  const now = realNow();
  // However late this thread gets to run: who shows the time has just read the file.
  if (now - readAt > lookEvery) {
    next = read();
    readAt = now;
  }
  if (now >= next.from) offset = next.offset;
  return now + offset;
};

const moved = (callback: (...given: unknown[]) => void, delay = 0, ...given: unknown[]): NodeJS.Timeout => {
  if (delay < shortestMoved || delay === callLimit) return realSetTimeout(callback, delay, ...given);
  const run = (): void => {
    pending.delete(timer);
    callback(...given);
  };
  const timer = realSetTimeout(run, delay);
  pending.set(timer, { due: Date.now() + delay, run });
  return timer;
};
globalThis.setTimeout = Object.assign(moved, realSetTimeout) as typeof setTimeout;
const realClearTimeout = globalThis.clearTimeout;
globalThis.clearTimeout = (timer) => {
  pending.delete(timer as NodeJS.Timeout);
  realClearTimeout(timer as NodeJS.Timeout);
};

let shown = Date.now();
setInterval(() => {
  const now = Date.now();
  const jumped = now - shown > shortestMoved;
  shown = now;
  if (!jumped) return;
  for (const [timer, { due, run }] of pending) {
    if (due > now) continue;
    realClearTimeout(timer);
    run();
  }
}, lookEvery).unref();

function read(): { offset: number; from: number } {
  try {
    const [added = 0, from = 0] = readFileSync(file, 'utf8').split(' ').map(Number);
    return { offset: added, from };
  } catch {
    return { offset: 0, from: 0 };
  }
}

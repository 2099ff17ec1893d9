import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Cancel, Logger } from '#actors/ports.ts';

const lookEvery = 1_000;
/** Share of a second in which an idle thread may still have worked. */
const idleShare = 0.02;
/** What a heap must have grown by to be worth a collection, in bytes. */
const worthwhile = 16 * 1024 * 1024;

type Collect = (options: { type: 'major'; execution: 'sync'; flavor: 'last-resort' }) => void;

/** V8's own collection, which is there for a context that was made while a flag was set. */
function collector(): Collect {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as Collect;
  // Compiled code that is kept for the next start is only good for a start with the same flags.
  setFlagsFromString('--no-expose-gc');
  return collect;
}

/**
 * Gives the memory back that a busy time has left in the heap of this thread, once the thread is idle. V8 keeps it for
 * the next busy time, however long that takes; a start, too, needs more than what it leaves.
 */
export function trimWhenIdle(log: Logger): Cancel {
  const collect = collector();
  let utilization = performance.eventLoopUtilization();
  let trimmed = 0;
  const look = (): void => {
    const before = utilization;
    utilization = performance.eventLoopUtilization();
    if (performance.eventLoopUtilization(utilization, before).utilization > idleShare) return;
    const { total_physical_size: size } = getHeapStatistics();
    if (size < trimmed + worthwhile) return;
    const from = performance.now();
    collect({ type: 'major', execution: 'sync', flavor: 'last-resort' });
    trimmed = getHeapStatistics().total_physical_size;
    log.info({ before: size, after: trimmed, ms: Math.round(performance.now() - from) }, 'heap.trimmed');
    // The collection itself was no work.
    utilization = performance.eventLoopUtilization();
  };
  const timer = setInterval(look, lookEvery).unref();
  return () => clearInterval(timer);
}

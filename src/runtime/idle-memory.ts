import { flushCompileCache } from 'node:module';
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Cancel, Clock, Logger } from '#actors/ports.ts';

const lookEvery = 1_000;
/** Share of the time between two looks in which an idle thread may still have worked. */
const idleShare = 0.02;
/**
 * Looks in a row that find a thread idle before it is trimmed: the collection takes some tens of milliseconds, and the
 * thread is slower for some hundred after it.
 */
const idleLooks = 4;
/** What a heap must have grown by to be worth a collection, in bytes. */
const worthwhile = 8 * 1024 * 1024;

/** A thread with a heap of its own. */
export interface Heap {
  /** Share of the time since the last call, 0 to 1, in which the thread worked. */
  utilization(): number;
  /** Bytes that the heap takes of the machine. */
  size(): number;
  /** Collects everything and gives back what is free. */
  collect(): void;
}

/**
 * Gives back the compiled code of every file that was loaded so far, at least 4 KB each: Node reads it from the compile
 * cache and keeps it to the end of the thread. Called by each thread as soon as it has loaded what it runs: what starts
 * next takes the memory.
 */
export function releaseCompileCache(): void {
  // It writes what is new, and forgets all that it holds.
  flushCompileCache();
}

/** Of the thread that calls this. */
export function ownHeap(): Heap {
  // V8's collection is there for contexts that are made while this flag is set.
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as (options: object) => void;
  // Compiled code that is kept for the next start is only good for a start with the same flags.
  setFlagsFromString('--no-expose-gc');
  let last = performance.eventLoopUtilization();
  return {
    utilization() {
      const before = last;
      last = performance.eventLoopUtilization();
      return performance.eventLoopUtilization(last, before).utilization;
    },
    size: () => getHeapStatistics().total_physical_size,
    collect: () => collect({ type: 'major', execution: 'sync', flavor: 'last-resort' }),
  };
}

/**
 * Gives the memory back that a busy time has left in a heap, once its thread is idle. V8 keeps it for the next busy
 * time, however long that takes; a start, too, needs more than it leaves.
 */
export function trimWhenIdle(heap: Heap, clock: Clock, log: Logger): Cancel {
  let trimmed = 0;
  let idle = 0;
  const look = (): void => {
    idle = heap.utilization() > idleShare ? 0 : idle + 1;
    const before = heap.size();
    if (idle >= idleLooks && before >= trimmed + worthwhile) {
      heap.collect();
      trimmed = heap.size();
      log.info({ before, after: trimmed }, 'heap.trimmed');
    }
    cancel = clock.schedule(lookEvery, look);
  };
  let cancel = clock.schedule(lookEvery, look);
  return () => cancel();
}

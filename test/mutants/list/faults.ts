import type { Mutant } from '../mutant.ts';

/** What a hub makes of a bad disk and a wrong clock. */
export const faults: readonly Mutant[] = [
  {
    name: 'well-again-after-a-probe',
    file: 'actors/runtime/store-health.ts',
    from: 'if (wasOnTrial && !trouble.refusing) {',
    to: 'if (!trouble.refusing) {',
    breaks: 'a disk that is full is told of, and taken back, each second',
    caughtBy: {
      file: 'test/actors/store-failure.test.ts',
      title: 'a store is well again after a batch, and says so once',
    },
  },
  {
    name: 'set-back-clock-goes-unnoticed',
    file: 'actors/runtime/moved-timers.ts',
    from: 'if (by > tolerated) this.#move(by);',
    to: '',
    breaks: 'what waits comes an hour late when the clock is set back by an hour',
    caughtBy: { file: 'test/actors/timers.test.ts', title: 'a clock that is set back makes no timer late or early' },
  },
];

import { describe, expect, test } from 'vitest';
import { type Entry, type QueueLimits, RequestQueues } from '#src/http/request-queues.ts';
import { ManualClock } from '../_support/manual-clock.ts';
import { failureOf } from '../actors/support.ts';

const limits: QueueLimits = { alone: 3, inCompany: 2, waiting: 4, waitMs: 10_000 };

/** Queues whose passes of the event loop come when they are told to, and what began in them. */
class Passing {
  readonly clock = new ManualClock();
  readonly begun: string[] = [];
  readonly entries: Entry[] = [];
  #runs: (() => void)[] = [];
  readonly #all: RequestQueues;

  constructor() {
    const { clock } = this;
    const soon = (run: () => void) => {
      this.#runs.push(run);
      return () => {};
    };
    const parts = { elapsed: () => clock.elapsed(), soon, schedule: clock.schedule.bind(clock) };
    this.#all = new RequestQueues(parts, limits);
  }

  /** Asks for entry for each letter, a caller. @returns the refusals */
  enter(callers: string): Promise<unknown>[] {
    return [...callers].map((caller) =>
      this.#all.enter(caller).then((entry) => {
        this.begun.push(caller);
        this.entries.push(entry);
      }),
    );
  }

  /** Everything that a pass does. @returns who began in it */
  async pass(): Promise<string> {
    for (const run of this.#runs.splice(0)) run();
    await new Promise(setImmediate);
    return this.begun.splice(0).join('');
  }

  end(): void {
    for (const entry of this.entries.splice(0)) entry.end();
  }
}

describe('a request', () => {
  test('of a caller who is alone begins at once, up to a bound', async () => {
    const passing = new Passing();
    void passing.enter('aaaa');
    expect(await passing.pass()).toBe('aaa');
    expect(await passing.pass()).toBe('');
    passing.entries[0]![Symbol.dispose]();
    expect(await passing.pass()).toBe('a');
  });

  test('of several callers begins one a pass for each', async () => {
    const passing = new Passing();
    void passing.enter('bacaa');
    expect(await passing.pass()).toBe('baca');
    expect(await passing.pass()).toBe('');
    passing.end();
    expect(await passing.pass()).toBe('a');
  });

  test('waits for no other caller who waits', async () => {
    const passing = new Passing();
    void passing.enter('ba');
    expect(await passing.pass()).toBe('ba');
    void passing.enter('aaaab');
    expect(await passing.pass()).toBe('ab');
  });

  test('that ends twice makes room once', async () => {
    const passing = new Passing();
    void passing.enter('aaaaa');
    await passing.pass();
    const [entry] = passing.entries;
    entry!.end();
    entry![Symbol.dispose]();
    expect(await passing.pass()).toBe('a');
    expect(await passing.pass()).toBe('');
  });

  test('that finds too many of its caller waiting is refused', async () => {
    const passing = new Passing();
    void passing.enter('aaaaaaa');
    const [one, other] = passing.enter('ab');
    expect(await failureOf(one!)).toBe('overloaded');
    await other;
    expect(await passing.pass()).toBe('aaab');
  });

  test('waits no longer than ten seconds', async () => {
    const passing = new Passing();
    const [, , , waiting] = passing.enter('aaaa');
    await passing.pass();
    passing.clock.advance(9_999);
    void passing.enter('a');
    passing.clock.advance(1);
    expect(await failureOf(waiting!)).toBe('overloaded');
    passing.end();
    expect(await passing.pass()).toBe('a');
  });
});

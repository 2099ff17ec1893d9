import fc from 'fast-check';
import { expect, test } from 'vitest';
import { OwnTime } from '#actors/runtime/own-time.ts';
import { ActorSystem, connectTestChannel } from '../_support/actor-system.ts';
import { elapse, rowsOf } from './support.ts';
import { ManualClock } from '../_support/manual-clock.ts';

const hour = 60 * 60 * 1000;

test('a shard counts at least the time that passes, at most twice', () => {
  const steps = fc.array(fc.record({ passes: fc.nat(10 * hour), jump: fc.integer({ min: -400, max: 400 }) }));
  const property = fc.property(steps, fc.integer({ min: -400, max: 400 }), (moves, ahead) => {
    const clock = new ManualClock();
    const time = new OwnTime(clock.now() + ahead * hour, clock);
    let before = time.tick(clock);
    for (const { passes, jump } of moves) {
      clock.set(jump * hour);
      clock.advance(passes);
      const now = time.tick(clock);
      expect(now - before).toBeGreaterThanOrEqual(passes);
      expect(now - before).toBeLessThanOrEqual(2 * passes);
      before = now;
    }
  });
  fc.assert(property, { seed: 20261121 });
});

test('a shard that is behind the clock comes up to it', () => {
  const clock = new ManualClock();
  const time = new OwnTime(clock.now() - 10 * hour, clock);
  clock.advance(4 * hour);
  expect(clock.now() - time.tick(clock)).toBe(6 * hour);
  clock.advance(20 * hour);
  expect(time.tick(clock)).toBe(clock.now());
  clock.set(-hour);
  clock.advance(hour);
  expect(time.tick(clock)).toBe(clock.now() + hour);
});

test('a hub that never runs for long forgets in time too', async () => {
  await using system = new ActorSystem({ retention: { journal: 16 * hour } });
  await connectTestChannel(system.commands());
  for (let n = 0; n < 100; n++) {
    await elapse(system, hour / 3, hour / 12);
    await system.restart();
  }
  expect(rowsOf(system.file).journal).toEqual([]);
});

import { describe, expect, it } from 'vitest';
import { createCircuitBreaker, failuresToOpen, probeAfterMs } from '#src/outgoing/circuit-breaker.ts';

const origin = 'https://receiver.example';

function breakerAt(start = 1000) {
  const clock = { time: start, now: () => clock.time };
  const breaker = createCircuitBreaker(clock);
  const fail = (times: number) => {
    for (let n = 0; n < times; n += 1) breaker.record(origin, false);
  };
  return { clock, breaker, fail };
}

describe('circuit breaker', () => {
  it('admits until the fifth failure in a row', () => {
    const { breaker, fail } = breakerAt();
    fail(failuresToOpen - 1);
    expect(breaker.admit(origin)).toBe(true);
    fail(1);
    expect(breaker.admit(origin)).toBe(false);
  });

  it('counts failures from the last success on', () => {
    const { breaker, fail } = breakerAt();
    fail(failuresToOpen - 1);
    breaker.record(origin, true);
    fail(failuresToOpen - 1);
    expect(breaker.admit(origin)).toBe(true);
  });

  it('admits exactly one probe after ten seconds', () => {
    const { clock, breaker, fail } = breakerAt();
    fail(failuresToOpen);
    clock.time += probeAfterMs - 1;
    expect(breaker.admit(origin)).toBe(false);
    clock.time += 1;
    expect([breaker.admit(origin), breaker.admit(origin)]).toEqual([true, false]);
  });

  it('closes after a probe that succeeds', () => {
    const { clock, breaker, fail } = breakerAt();
    fail(failuresToOpen);
    clock.time += probeAfterMs;
    breaker.admit(origin);
    breaker.record(origin, true);
    expect([breaker.admit(origin), breaker.admit(origin)]).toEqual([true, true]);
  });

  it('opens for ten more seconds after a failed probe', () => {
    const { clock, breaker, fail } = breakerAt();
    fail(failuresToOpen);
    clock.time += probeAfterMs;
    breaker.admit(origin);
    clock.time += 500;
    fail(1);
    clock.time += probeAfterMs - 1;
    expect(breaker.admit(origin)).toBe(false);
    clock.time += 1;
    expect(breaker.admit(origin)).toBe(true);
  });

  it('goes on probing when a probe has no result', () => {
    const { clock, breaker, fail } = breakerAt();
    fail(failuresToOpen);
    clock.time += probeAfterMs;
    expect(breaker.admit(origin)).toBe(true);
    clock.time += probeAfterMs;
    expect(breaker.admit(origin)).toBe(true);
  });

  it('keeps origins apart', () => {
    const { breaker, fail } = breakerAt();
    fail(failuresToOpen);
    expect(breaker.admit(`${origin}:8443`)).toBe(true);
  });
});

import { describe, expect, it } from 'vitest';
import { createCircuitBreaker, failuresToOpen, probeAfterMs } from '#src/outgoing/circuit-breaker.ts';

const source = 'shop';

function breakerAt(start = 1000) {
  const clock = { time: start, elapsed: () => clock.time };
  const breaker = createCircuitBreaker(clock);
  const fail = (times: number) => {
    for (let n = 0; n < times; n += 1) breaker.record(source, false);
  };
  return { clock, breaker, fail };
}

describe('circuit breaker', () => {
  it('admits until the fifth failure in a row', () => {
    const { breaker, fail } = breakerAt();
    fail(failuresToOpen - 1);
    expect(breaker.admit(source)).toBeNull();
    fail(1);
    expect(breaker.admit(source)).not.toBeNull();
  });

  it('says when to ask again', () => {
    const { breaker, fail } = breakerAt();
    fail(failuresToOpen);
    expect(breaker.admit(source)).toBe(probeAfterMs);
  });

  it('tells that it has closed, once', () => {
    const { breaker, fail } = breakerAt();
    fail(failuresToOpen - 1);
    expect(breaker.record(source, true)).toBe(false);
    fail(failuresToOpen);
    expect([breaker.record(source, true), breaker.record(source, true)]).toEqual([true, false]);
  });

  it('counts failures from the last success on', () => {
    const { breaker, fail } = breakerAt();
    fail(failuresToOpen - 1);
    breaker.record(source, true);
    fail(failuresToOpen - 1);
    expect(breaker.admit(source)).toBeNull();
  });

  it('admits exactly one probe after ten seconds', () => {
    const { clock, breaker, fail } = breakerAt();
    fail(failuresToOpen);
    clock.time += probeAfterMs - 1;
    expect(breaker.admit(source)).not.toBeNull();
    clock.time += 1;
    expect([breaker.admit(source), breaker.admit(source)]).toEqual([null, probeAfterMs]);
  });

  it('closes after a probe that succeeds', () => {
    const { clock, breaker, fail } = breakerAt();
    fail(failuresToOpen);
    clock.time += probeAfterMs;
    breaker.admit(source);
    breaker.record(source, true);
    expect([breaker.admit(source), breaker.admit(source)]).toEqual([null, null]);
  });

  it('opens for ten more seconds after a failed probe', () => {
    const { clock, breaker, fail } = breakerAt();
    fail(failuresToOpen);
    clock.time += probeAfterMs;
    breaker.admit(source);
    clock.time += 500;
    fail(1);
    clock.time += probeAfterMs - 1;
    expect(breaker.admit(source)).not.toBeNull();
    clock.time += 1;
    expect(breaker.admit(source)).toBeNull();
  });

  it('goes on probing when a probe has no result', () => {
    const { clock, breaker, fail } = breakerAt();
    fail(failuresToOpen);
    clock.time += probeAfterMs;
    expect(breaker.admit(source)).toBeNull();
    clock.time += probeAfterMs;
    expect(breaker.admit(source)).toBeNull();
  });

  it('keeps sources apart', () => {
    const { breaker, fail } = breakerAt();
    fail(failuresToOpen);
    expect(breaker.admit('another')).toBeNull();
  });
});

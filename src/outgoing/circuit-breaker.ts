import type { Clock } from '#actors/ports.ts';

/** Unreachable results in a row that open a circuit. */
export const failuresToOpen = 5;
/** Milliseconds from a circuit's opening, or from a probe without result, to the next probe. */
export const probeAfterMs = 10_000;

export interface CircuitBreaker {
  /**
   * Asks for a call. In an open circuit every `probeAfterMs` one call may be made: the probe.
   * @returns null when the call may be made now, else after how many ms to ask again
   */
  admit(account: string): number | null;
  /**
   * What an admitted call came to: `ok` false only when the source was not reachable.
   * @returns whether this has closed the circuit: calls that had to wait may be made
   */
  record(account: string, ok: boolean): boolean;
}

interface Circuit {
  failures: number;
  /** When the next probe may be made, in ms of the clock's `elapsed`. */
  probeAt: number;
}

/**
 * One circuit per account, so that those behind one gateway do not take each other down: closed → open after five
 * unreachable results in a row → one probe after ten seconds → closed, or open again. Our own, since cockatiel's breaker
 * reads `Date.now` and can't be given a clock. Only failing accounts are remembered.
 */
export function createCircuitBreaker(clock: Pick<Clock, 'elapsed'>): CircuitBreaker {
  const failing = new Map<string, Circuit>();

  return {
    admit(account) {
      const circuit = failing.get(account);
      if (!circuit || circuit.failures < failuresToOpen) return null;
      const wait = circuit.probeAt - clock.elapsed();
      if (wait > 0) return wait;
      // Taken now: a probe whose result gets lost makes room for the next one later.
      circuit.probeAt = clock.elapsed() + probeAfterMs;
      return null;
    },
    record(account, ok) {
      const before = failing.get(account)?.failures ?? 0;
      if (ok) {
        failing.delete(account);
        return before >= failuresToOpen;
      }
      failing.set(account, { failures: before + 1, probeAt: clock.elapsed() + probeAfterMs });
      return false;
    },
  };
}

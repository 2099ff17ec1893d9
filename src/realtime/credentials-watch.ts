import type { Cancel, Clock } from '#actors/ports.ts';
import type { Credited } from './socket-door.ts';

/** How long a socket outlives its credential, in ms, at most. */
export const lookEvery = 30_000;
/** Close code of RFC 6455, section 7.4.1: against the policy. */
const policy = 1008;

/**
 * Ends sessions whose credential opens nothing any more: a key that was revoked, a login that is over. A hub that can
 * not tell just now ends nobody.
 */
export function watchCredentials(clock: Clock, open: () => Iterable<Credited>): Cancel {
  let cancel = clock.schedule(lookEvery, look);
  let stopped = false;
  function look(): void {
    void endInvalid(open()).finally(() => {
      if (!stopped) cancel = clock.schedule(lookEvery, look);
    });
  }
  return () => {
    stopped = true;
    cancel();
  };
}

async function endInvalid(open: Iterable<Credited>): Promise<void> {
  for (const { session, isStillValid } of [...open]) {
    if (!(await stillValid(isStillValid))) session.end(policy, 'the credential is no longer valid');
  }
}

async function stillValid(ask: Credited['isStillValid']): Promise<boolean> {
  try {
    return await ask();
  } catch {
    return true;
  }
}

import type { Failure } from '#actors/errors.ts';
import type { Cancel, Clock } from '#actors/ports.ts';
import type { Credited } from './socket-door.ts';

/** How long a socket outlives its credential, in ms, at most. */
export const lookEvery = 30_000;

/**
 * Ends sessions whose credential opens nothing any more: a key that was revoked, a login that is over, a page that may
 * not come any more. A hub that can not tell just now ends nobody.
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
  for (const { session, refusal } of [...open]) {
    const failure = await asked(refusal);
    if (failure !== null) session.refuse(failure);
  }
}

async function asked(refusal: Credited['refusal']): Promise<Failure | null> {
  try {
    return await refusal();
  } catch {
    return null;
  }
}

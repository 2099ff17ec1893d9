import type { Cancel } from '#actors/ports.ts';
import type { Services } from '#src/services.ts';
import type { Credited } from './socket-door.ts';

/** How long a socket outlives its credential, in ms, at most. */
export const lookEvery = 30_000;
/** Close code of RFC 6455, section 7.4.1: against the policy. */
const policy = 1008;

/**
 * Ends sessions whose credential opens nothing any more: a key that was revoked, a login that is over. Those of the core
 * API are looked at as soon as a key or a login ends, all of them now and then. A hub that can not tell just now ends
 * nobody.
 */
export function watchCredentials(
  { clock, onGrew }: Pick<Services, 'clock' | 'onGrew'>,
  open: () => Iterable<Credited>,
): Cancel {
  let cancel = clock.schedule(lookEvery, look);
  let stopped = false;
  function look(): void {
    void endInvalid(open()).finally(() => {
      if (!stopped) cancel = clock.schedule(lookEvery, look);
    });
  }
  const stopListening = onGrew(
    'callers',
    oneAtATime(() => endInvalid(ofCallers(open()))),
  );
  return () => {
    stopped = true;
    cancel();
    stopListening();
  };
}

function* ofCallers(open: Iterable<Credited>): Generator<Credited> {
  for (const credited of open) if (credited.isOfCaller) yield credited;
}

/** What is asked for meanwhile is done once more, when it is over. */
function oneAtATime(work: () => Promise<void>): () => void {
  let state: 'idle' | 'working' | 'asked' = 'idle';
  const begin = (): void => {
    if (state !== 'idle') state = 'asked';
    else {
      state = 'working';
      void work().finally(() => {
        const again = state === 'asked';
        state = 'idle';
        if (again) begin();
      });
    }
  };
  return begin;
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

import type { Failure } from '#actors/errors.ts';
import type { Cancel } from '#actors/ports.ts';
import type { Services } from '#src/services.ts';
import type { Credited } from './socket-door.ts';

/** How long a socket outlives its credential, in ms, at most. */
export const lookEvery = 30_000;

/**
 * Ends sessions whose credential opens nothing any more: a key that was revoked, a login that is over, a page that may
 * not come any more. Those of the core API are looked at as soon as a key or a login ends, all of them now and then. A
 * hub that can not tell just now ends nobody.
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

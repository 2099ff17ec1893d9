import type { Cancel, Clock } from '#actors/ports.ts';
import type { Session } from './session.ts';

/** How long a socket outlives its credential, in ms, at most. */
export const lookEvery = 30_000;
/** Close code of RFC 6455, section 7.4.1: against the policy. */
const policy = 1008;

/** A session that began with a credential. */
export interface Credited {
  session: Session;
  /** Whether whom the credential named is who it names now. */
  isStillValid(): Promise<boolean>;
}

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
    if (!(await isStillValid().catch(() => true))) session.end(policy, 'the credential is no longer valid');
  }
}

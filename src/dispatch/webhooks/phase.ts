import type { SubscriptionWork } from '#actors/webhook-subscription/contract.ts';
import type { RunnerContext } from './active-phase.ts';
import { Probing } from './probing.ts';
import { Sending } from './sending.ts';

/** Where a runner is, with what belongs to that phase alone. */
export type Phase =
  | Sending
  | Probing
  /** Nothing may be sent: unsubscribed, suspended, or the endpoint is failing and its time has not come. */
  | { name: 'resting' }
  /** No attempt begins. When all is recorded, the subscription is loaded, but not before `until` (ms of the clock's `elapsed`). */
  | { name: 'draining'; left: Sending | Probing | null; until: number }
  /** No attempt begins. When all is recorded, `stopped` is called. No phase follows. */
  | { name: 'stopping'; left: Sending | Probing | null; stopped: () => void };

/** The phase that attempts belong to, also while it is being left. */
export function activeOf(phase: Phase): Sending | Probing | null {
  if (phase.name === 'resting') return null;
  return phase.name === 'sending' || phase.name === 'probing' ? phase : phase.left;
}

/** The phase that follows from what is stored. */
export function phaseOf(work: SubscriptionWork, context: RunnerContext): Phase {
  const name = nameOf(work);
  if (name === 'sending') return new Sending(work, context);
  return name === 'probing' ? new Probing(work, context) : { name };
}

/** Whether a change of a subscription makes untrue what was read for it. */
export const mustReload = (before: SubscriptionWork, now: SubscriptionWork): boolean =>
  now.generation !== before.generation ||
  now.missed !== before.missed ||
  nameOf(now) !== nameOf(before) ||
  now.types.join() !== before.types.join();

function nameOf({ state, probing }: SubscriptionWork): 'sending' | 'probing' | 'resting' {
  if (state !== 'idle' && state !== 'delivering') return 'resting';
  return probing ? 'probing' : 'sending';
}

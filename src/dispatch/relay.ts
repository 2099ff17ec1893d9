import type { CommandSender } from '#actors/commands.ts';
import type { Clock, Logger } from '#actors/ports.ts';
import type { Origin } from '#src/services.ts';
import { durably, Stopping } from './durably.ts';
import type { EffectRow, Performed } from './lanes.ts';

export interface RelayOptions {
  clock: Clock;
  log: Logger;
  commandsFor(origin: Origin): CommandSender;
  /** Whether the hub stops. */
  stopping(): boolean;
}

/** Wait before something that can not be told is tried again, in ms. */
const retryDelay = 1_000;

/**
 * Carries what actors tell each other: a command under the effect's own id, so that it is handled once however often it
 * is sent. A refusal is an answer like any other.
 */
export async function relay(options: RelayOptions, effect: EffectRow): Promise<Performed> {
  const { clock, log } = options;
  const about = { key: effect.key, id: effect.id, body: effect.body ?? 'null' };
  const origin = { cause: `effect ${effect.id}`, idempotencyKey: `effect ${effect.id}` };
  try {
    const refusal = await durably(options, origin, (commands) => commands.relay(about));
    if (refusal !== null) log.warn({ effect: effect.id, code: refusal.code, reason: refusal.message }, 'relay.refused');
    return { done: true };
  } catch (error) {
    if (!(error instanceof Stopping)) log.error({ effect: effect.id, reason: String(error) }, 'relay.failed');
    return { done: false, retryAt: clock.now() + retryDelay };
  }
}

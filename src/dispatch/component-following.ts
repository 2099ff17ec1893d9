import type { CommandSender } from '#actors/commands.ts';
import type { Clock, Logger } from '#actors/ports.ts';
import type { Origin } from '#src/services.ts';
import { durably, Stopping } from './durably.ts';
import type { EffectRow, Performed } from './lanes.ts';

export interface ComponentFollowingOptions {
  clock: Clock;
  log: Logger;
  commandsFor(origin: Origin): CommandSender;
  /** Resolves when everything that runs is as components say now. */
  follow(): Promise<void>;
  /** Whether the hub stops. */
  stopping(): boolean;
}

/** Wait before something that went wrong is tried again, in ms. */
const retryDelay = 1_000;

/** Has the running hub do what a component that is pending waits for, and tells it so. */
export async function followComponent(options: ComponentFollowingOptions, effect: EffectRow): Promise<Performed> {
  const { clock, log, follow } = options;
  const { component } = JSON.parse(effect.body ?? 'null') as { component: string };
  const origin = { cause: `effect ${effect.id}`, idempotencyKey: `effect ${effect.id}` };
  try {
    await follow();
    const about = { effectId: effect.id };
    await durably(options, origin, (commands) => commands.send('component', component, 'component.followed', about));
    return { done: true };
  } catch (error) {
    if (!(error instanceof Stopping)) log.error({ effect: effect.id, reason: String(error) }, 'component.failed');
    return { done: false, retryAt: clock.now() + retryDelay };
  }
}

import type { CommandSender } from '#actors/commands.ts';
import { durably, type DurableSending } from './durably.ts';
import type { EffectRow, Performed } from './lanes.ts';

export interface ComponentFollowingOptions extends DurableSending {
  /** Resolves when everything that runs is as components say now. */
  follow(): Promise<void>;
}

/** Has the running hub do what a component that is pending waits for, and tells it so. */
export async function followComponent(options: ComponentFollowingOptions, effect: EffectRow): Promise<Performed> {
  const { component } = JSON.parse(effect.body ?? 'null') as { component: string };
  const origin = { cause: `effect ${effect.id}`, idempotencyKey: `effect ${effect.id}` };
  await options.follow();
  const about = { effectId: effect.id };
  const tell = (commands: CommandSender) => commands.send('component', component, 'component.followed', about);
  await durably(options, origin, tell);
  return { done: true };
}

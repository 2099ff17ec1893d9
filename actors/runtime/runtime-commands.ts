import type { TimerRow } from '../store/tables.ts';

/** Commands that the runtime itself answers, for every kind of actor. Each is recognised by the row that it is about. */
export const runtimeCommands = {
  timerFired: 'timer.fired',
  redrive: 'dead-letter.redrive',
  forgetLetter: 'dead-letter.forget',
  effectDone: 'effect.done',
} as const;

/** The kind of the outbox's rows that ask another actor for something. */
export const tellEffect = 'command';

/** Whether the runtime answers commands of a type. */
export const isOfRuntime = (type: string): boolean => (Object.values(runtimeCommands) as string[]).includes(type);

/** The body of a timer's command. */
export type TimerFired = Pick<TimerRow, 'key' | 'subject'> & { name: `xstate.after.${string}` };

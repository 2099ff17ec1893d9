import type { FailureData } from './errors.ts';
import type { declaredKinds } from './kinds.ts';

type Declared = typeof declaredKinds;

/** Every command there is: actor kind → type → body and result. */
export type Commands = { [K in keyof Declared]: NonNullable<Declared[K]['commands']> };

export type CommandType<K extends keyof Commands> = keyof Commands[K] & string;

export type CommandBody<K extends keyof Commands, T extends CommandType<K>> = Commands[K][T] extends { body: infer B }
  ? B
  : never;

export type CommandResult<K extends keyof Commands, T extends CommandType<K>> = Commands[K][T] extends {
  result: infer R;
}
  ? R
  : never;

/** How the hub asks actors for something. Made per request: it carries the request's cause and derives command ids. */
export interface CommandSender {
  /**
   * Sends one command and waits until it is durable.
   * @throws Failure the actor's own, or `overloaded`, `deadline_exceeded`, `unavailable`
   */
  send<K extends keyof Commands, T extends CommandType<K>>(
    kind: K,
    id: string,
    type: T,
    body: CommandBody<K, T>,
  ): Promise<CommandResult<K, T>>;

  /**
   * Handles a dead letter of an actor again.
   * @throws Failure `not_found`, `internal` when it fails again, and as `send`
   */
  redrive(actor: { kind: string; id: string }, commandId: string): Promise<void>;

  /**
   * Sends what an actor has told another, under the effect's own id, and has the teller know that it was answered. A
   * refusal is an answer.
   * @returns the failure of a refusal, else null
   * @throws Failure as `send`, but for refusals
   */
  relay(effect: { key: number; id: string; body: string }): Promise<FailureData | null>;
}

import type { ChannelCommands } from './channel/contract.ts';
import type { ConversationCommands } from './conversation/contract.ts';
import type { IdempotencyKeyCommands } from './idempotency-key/contract.ts';
import type { SourceCommands } from './source/contract.ts';
import type { WebhookSubscriptionCommands } from './webhook-subscription/contract.ts';

/** Every command there is: actor kind → type → body and result. */
export interface Commands {
  conversation: ConversationCommands;
  channel: ChannelCommands;
  source: SourceCommands;
  'idempotency-key': IdempotencyKeyCommands;
  'webhook-subscription': WebhookSubscriptionCommands;
}

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
}

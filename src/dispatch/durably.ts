import type { CommandSender } from '#actors/commands.ts';
import { Failure } from '#actors/errors.ts';
import type { Clock } from '#actors/ports.ts';
import type { Origin } from '#src/services.ts';

/** Wait before a command that nobody took is sent again, in ms. */
const commandRetryDelay = 250;

/** The hub stops: what was begun is found again, as begun or as not done, when it comes up. */
export class Stopping extends Error {
  override readonly name = 'Stopping';
}

export interface DurableSending {
  clock: Clock;
  commandsFor(origin: Origin): CommandSender;
  /** Whether the hub stops: then nothing is tried again. */
  stopping(): boolean;
}

/**
 * What an effect came to must not get lost because the bus or the host restarts: tries until the hub stops. The key
 * of the origin makes the command ids, so that a command that is sent again is handled once.
 * @throws Stopping, and every failure that trying again does not mend
 */
export async function durably<T>(
  { clock, commandsFor, stopping }: DurableSending,
  origin: Origin & { idempotencyKey: string },
  send: (commands: CommandSender) => Promise<T>,
): Promise<T> {
  for (;;) {
    try {
      return await send(commandsFor(origin));
    } catch (error) {
      const passing = error instanceof Failure && error.retryAfter !== undefined;
      if (!passing) throw error;
      if (stopping()) throw new Stopping();
      await new Promise<void>((resolve) => clock.schedule(commandRetryDelay, resolve));
    }
  }
}

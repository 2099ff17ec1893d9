import type { Reply } from './envelope.ts';

/** Wait before a store or a log is tried again after an error, in ms. */
export const recoveryDelay = 1_000;

export const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** The replies of a host that can not take a command now; each says that nothing was changed. */
export const refusals = {
  notOwner: {
    ok: false,
    failure: {
      code: 'not_owner',
      message: 'Another node owns this shard. Nothing was changed; try again.',
      retryAfter: 1,
    },
  },
  overloaded: {
    ok: false,
    failure: {
      code: 'overloaded',
      message: 'Too many commands are waiting. Nothing was changed; try again.',
      retryAfter: 1,
    },
  },
  /** @param reason why the store can not be written */
  unavailable: (reason: string): Reply => ({
    ok: false,
    failure: {
      code: 'unavailable',
      message: `The store can not be written (${reason}). Nothing was changed; try again.`,
      retryAfter: recoveryDelay / 1000,
    },
  }),
} as const satisfies Record<string, Reply | ((reason: string) => Reply)>;

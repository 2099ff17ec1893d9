import { Failure } from '../errors.ts';
import type { Handlers, Runtime } from '../runtime/kind.ts';
import type { UserCommands } from './contract.ts';
import type { UserRow } from './tables.ts';

type UserRuntime = Runtime<UserRow, null, null, null>;

export const userHandlers: Handlers<UserRuntime, UserCommands> = {
  'user.log-in'(runtime, { userId, name, avatarUrl }) {
    const { actor, now } = runtime;
    runtime.save({
      ...(actor.isNew && { user_id: userId, first_seen_at: now }),
      ...{ name: name ?? null, avatar_url: avatarUrl ?? null, last_seen_at: now },
    });
    runtime.signal('callers');
    return null;
  },

  'user.note-call'(runtime) {
    const { actor, now } = runtime;
    if (actor.isNew) throw new Failure('not_found', 'This user has not logged in.');
    runtime.save({ last_seen_at: now });
    return null;
  },
};

import { Failure } from '../errors.ts';
import type { Handlers, Runtime } from '../runtime/kind.ts';
import type { SessionCommands } from './contract.ts';
import type { SessionRow } from './tables.ts';

type SessionRuntime = Runtime<SessionRow, null, null, null>;

export const sessionHandlers: Handlers<SessionRuntime, SessionCommands> = {
  'session.start'(runtime, { hash, user, expiresAt }) {
    runtime.save({ hash, user, started_at: runtime.now, expires_at: expiresAt });
    return null;
  },

  'session.end'(runtime) {
    const { row, now } = runtime;
    if (row.hash === '') throw new Failure('not_found', `There is no session ${row.id}.`);
    if (row.ended_at === null) runtime.save({ ended_at: now });
    runtime.signal('callers');
    return null;
  },
};

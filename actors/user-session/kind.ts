import { defineKind } from '../runtime/kind.ts';
import { sessionHandlers } from './commands.ts';
import type { SessionCommands } from './contract.ts';
import { sessionReader } from './reader.ts';
import { sessions } from './tables.ts';

/** A person's login. It is over long before the journal forgets its last turn, and it with that. */
export const sessionKind = defineKind<SessionCommands>()({
  name: 'user-session',
  machine: null,
  table: sessions,
  blank: { hash: '', user: '00000000-0000-0000-0000-000000000000', started_at: 0, expires_at: 0, ended_at: null },
  reads: () => null,
  load: () => null,
  handlers: sessionHandlers,
  transient: true,
  readers: { sessions: sessionReader },
});

import { defineKind } from '../runtime/kind.ts';
import { userHandlers } from './commands.ts';
import type { UserCommands } from './contract.ts';
import { userReader } from './reader.ts';
import { users } from './tables.ts';

/** A person who has logged in, as the identity provider describes them. */
export const userKind = defineKind<UserCommands>()({
  name: 'user',
  machine: null,
  table: users,
  blank: { user_id: '', name: null, avatar_url: null, first_seen_at: 0, last_seen_at: 0 },
  reads: () => null,
  load: () => null,
  handlers: userHandlers,
  readers: { users: userReader },
});

import { defineKind } from '../runtime/kind.ts';
import { apiKeyHandlers } from './commands.ts';
import type { ApiKeyCommands } from './contract.ts';
import { apiKeyReader } from './reader.ts';
import { apiKeys } from './tables.ts';

/** The key of a program that calls the core API. */
export const apiKeyKind = defineKind<ApiKeyCommands>()({
  name: 'api-key',
  machine: null,
  table: apiKeys,
  blank: {
    ...{ name: '', hash: '', operations: '[]', sources: null, created_by: '', created_at: 0 },
    ...{ last_used_at: null, revoked_at: null },
  },
  reads: () => null,
  load: () => null,
  handlers: apiKeyHandlers,
  readers: { apiKeys: apiKeyReader },
});

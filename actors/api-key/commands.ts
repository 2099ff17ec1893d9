import { Failure } from '../errors.ts';
import type { Handlers, Runtime } from '../runtime/kind.ts';
import type { ApiKeyCommands } from './contract.ts';
import { apiKeyJson } from './representation.ts';
import type { ApiKeyRow } from './tables.ts';

type ApiKeyRuntime = Runtime<ApiKeyRow, null, null, null>;

export const apiKeyHandlers: Handlers<ApiKeyRuntime, ApiKeyCommands> = {
  'api-key.create'(runtime, { name, hash, operations, sources, createdBy }) {
    const { row, now } = runtime;
    if (!isThere(row)) {
      runtime.save({
        ...{ name, hash, created_by: createdBy, created_at: now },
        operations: JSON.stringify(operations),
        sources: sources === undefined ? null : JSON.stringify(sources),
      });
    }
    return { key: apiKeyJson(row) };
  },

  'api-key.revoke'(runtime) {
    const { row, now } = runtime;
    if (!isThere(row)) throw new Failure('not_found', `There is no API key ${row.id}.`);
    if (row.revoked_at === null) runtime.save({ revoked_at: now });
    runtime.signal('callers');
    return null;
  },

  'api-key.note-use'(runtime) {
    const { row, now } = runtime;
    if (isThere(row)) runtime.save({ last_used_at: now });
    return null;
  },
};

const isThere = ({ hash }: Readonly<ApiKeyRow>): boolean => hash !== '';

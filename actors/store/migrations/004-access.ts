import { actorColumns } from './actor-columns.ts';

/** Who may call: API keys. */
export const access = `
-- hash: of the key's text, which is stored nowhere; operations, sources: JSON lists; sources null: bound to none
CREATE TABLE api_key (${actorColumns},
  name TEXT NOT NULL,
  hash TEXT NOT NULL,
  operations TEXT NOT NULL,
  sources TEXT,
  created_by TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  last_used_at INTEGER,
  revoked_at INTEGER
) STRICT;
CREATE UNIQUE INDEX api_key_actor ON api_key (id);
CREATE INDEX api_key_created ON api_key (created_at, key);
`;

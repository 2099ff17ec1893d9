import { actorColumns } from './actor-columns.ts';

/** Who may call: API keys, users and their sessions. */
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

CREATE TABLE user (${actorColumns},
  user_id TEXT NOT NULL,
  name TEXT,
  avatar_url TEXT,
  first_seen_at INTEGER NOT NULL,
  last_seen_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX user_actor ON user (id);
CREATE INDEX user_seen ON user (last_seen_at, key);

-- hash: of the cookie's text, which is stored nowhere; user: the id of its actor
CREATE TABLE user_session (${actorColumns},
  hash TEXT NOT NULL,
  user BLOB NOT NULL,
  started_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  ended_at INTEGER
) STRICT;
CREATE UNIQUE INDEX user_session_actor ON user_session (id);
CREATE INDEX user_session_started ON user_session (started_at, key);
`;

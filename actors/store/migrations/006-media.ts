import { actorColumns } from './actor-columns.ts';

/** Files that were uploaded: their content lies in a folder beside the database, under its hash. */
export const media = `
CREATE TABLE media (${actorColumns},
  sha256 TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  type TEXT NOT NULL,
  name TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX media_actor ON media (id);
`;

import { actorColumns } from '#actors/store/migrations/actor-columns.ts';

export const noteTables = `
CREATE TABLE note (${actorColumns},
  channel_id BLOB,
  lines INTEGER NOT NULL,
  last_line INTEGER
) STRICT;
CREATE UNIQUE INDEX note_actor ON note (id);

CREATE TABLE note_line (
  key INTEGER PRIMARY KEY,
  id BLOB NOT NULL,
  note INTEGER NOT NULL,
  number INTEGER NOT NULL,
  text TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX note_line_id ON note_line (id);
CREATE INDEX note_line_note ON note_line (note);
`;

import { actorColumns } from './actor-columns.ts';

/** Tags of conversations, and templates of messages. */
export const tagsAndTemplates = `
CREATE TABLE tag (${actorColumns},
  name TEXT NOT NULL,
  color TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  deleted INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX tag_actor ON tag (id);

-- conversations that have told a tag that they have it
CREATE TABLE tagged_conversation (
  key INTEGER PRIMARY KEY,
  tag INTEGER NOT NULL,
  conversation BLOB NOT NULL
) STRICT;
CREATE UNIQUE INDEX tagged_conversation_tag ON tagged_conversation (tag, conversation);

CREATE TABLE template (${actorColumns},
  name TEXT NOT NULL,
  source TEXT NOT NULL,
  content TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  deleted INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX template_actor ON template (id);
CREATE INDEX template_source ON template (source) WHERE deleted = 0;
`;

import { actorColumns } from './actor-columns.ts';

/** Contacts: one row each, what each showed over time, and which conversations are whose. */
export const contacts = `
-- version: key of what it shows now; sort: its place in the list, null when it is in none; merged_into: another contact
CREATE TABLE contact (${actorColumns},
  version INTEGER NOT NULL,
  sort TEXT,
  display_name TEXT,
  title TEXT,
  merged_into BLOB,
  created_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX contact_actor ON contact (id);
CREATE INDEX contact_order ON contact (sort, id) WHERE sort IS NOT NULL;

-- what events refer to, and walks through the list look up
CREATE TABLE contact_version (
  key INTEGER PRIMARY KEY,
  contact INTEGER NOT NULL,
  sort TEXT,
  shown TEXT NOT NULL
) STRICT;
CREATE INDEX contact_version_contact ON contact_version (contact);

CREATE TABLE contact_conversation (
  key INTEGER PRIMARY KEY,
  contact INTEGER NOT NULL,
  conversation BLOB NOT NULL,
  source TEXT NOT NULL
) STRICT;
CREATE INDEX contact_conversation_id ON contact_conversation (conversation);
CREATE INDEX contact_conversation_contact ON contact_conversation (contact);

-- contacts that became part of another one, as they were
CREATE TABLE contact_merge (
  key INTEGER PRIMARY KEY,
  contact INTEGER NOT NULL,
  shown TEXT NOT NULL
) STRICT;
CREATE INDEX contact_merge_contact ON contact_merge (contact);

CREATE TABLE contact_import (${actorColumns}) STRICT;
CREATE UNIQUE INDEX contact_import_actor ON contact_import (id);

-- what is to be made, until it is
CREATE TABLE contact_import_part (
  key INTEGER PRIMARY KEY,
  actor INTEGER NOT NULL,
  number INTEGER NOT NULL,
  contacts TEXT NOT NULL
) STRICT;
CREATE INDEX contact_import_part_actor ON contact_import_part (actor);
`;

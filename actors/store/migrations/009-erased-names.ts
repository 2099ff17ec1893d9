/** By what metadata and echoes are known that a source pushes of what was erased. */
export const erasedNames = `
-- what its source called it before it was erased, as an id that follows from that; null: it never was
ALTER TABLE conversation ADD COLUMN erased_name BLOB;
CREATE INDEX conversation_erased_name ON conversation (erased_name) WHERE erased_name IS NOT NULL;

-- ids of echoes by which a message was known before its present one
CREATE TABLE former_echo (
  key INTEGER PRIMARY KEY,
  message INTEGER NOT NULL,
  echo_id BLOB NOT NULL
) STRICT;
CREATE UNIQUE INDEX former_echo_id ON former_echo (echo_id);
`;

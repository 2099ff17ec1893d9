/**
 * The columns that the table of every kind begins with: the state of the actor (docs/architecture.md, "Storage"). Part of
 * the schema's history: another state of actors is a migration of every kind's table.
 */
export const actorColumns = `
  key INTEGER PRIMARY KEY,
  id BLOB NOT NULL,
  revision INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  turns INTEGER NOT NULL,
  last_turn INTEGER NOT NULL,
  skip_turn INTEGER NOT NULL,
  chain TEXT NOT NULL,
  machine_version INTEGER NOT NULL,
  value TEXT NOT NULL,
  context TEXT NOT NULL`;

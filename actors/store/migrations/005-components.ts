import { actorColumns } from './actor-columns.ts';

/** Modules of the hub that are installed and configured through the API. */
export const components = `
CREATE TABLE component (
${actorColumns},
  name TEXT NOT NULL,
  enabled INTEGER NOT NULL,
  configuration TEXT,
  shown TEXT
) STRICT;
CREATE UNIQUE INDEX component_id ON component (id);
CREATE UNIQUE INDEX component_name ON component (name);
`;

import { z } from 'zod';

interface Rendering {
  zodSchema: z.core.$ZodType;
  jsonSchema: z.core.JSONSchema.BaseSchema;
  io: 'input' | 'output';
}

/** How schemas differ in the documents from what validates: what clients are made from must bear what comes later. */
export function forClients({ zodSchema, jsonSchema, io }: Rendering): void {
  // A client that refuses fields which it does not know would break with every new one.
  if (io === 'output' && jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
  if (io === 'input' && zodSchema instanceof z.ZodOptional) allowNull(jsonSchema);
}

/** An optional field of a request may be null: it means the same as absent, or clears (docs/api.md, "Conventions"). */
function allowNull(schema: z.core.JSONSchema.BaseSchema): void {
  const form = schema.anyOf !== undefined ? 'anyOf' : 'oneOf';
  const alternatives = schema[form];
  // Lists are made anew: those that are there may be other fields' too, whose words are the same.
  if (alternatives !== undefined) {
    if (!alternatives.some(({ type }) => type === 'null')) schema[form] = [...alternatives, { type: 'null' }];
  } else if (schema.type !== undefined) {
    (schema as { type: unknown }).type = [schema.type, 'null'].flat();
    if (schema.enum?.includes(null) === false) schema.enum = [...schema.enum, null];
  }
}

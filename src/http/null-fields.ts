import { z } from 'zod';

/**
 * Takes out of a body what is null and may be absent: the two mean the same (docs/api.md, "Conventions"). A schema that
 * accepts null itself gets it: there null clears. Changes the value, which nobody else has.
 */
export function dropNulls(schema: z.core.$ZodType, value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  const inner = withoutWrappers(schema);
  if (inner instanceof z.ZodObject) dropFields(inner.shape, value as Record<string, unknown>);
  if (inner instanceof z.ZodArray && Array.isArray(value)) for (const item of value) dropNulls(inner.element, item);
  if (inner instanceof z.ZodRecord) for (const item of Object.values(value)) dropNulls(inner.valueType, item);
}

function dropFields(shape: z.core.$ZodShape, fields: Record<string, unknown>): void {
  for (const [name, field] of Object.entries(shape) as [string, z.ZodType][]) {
    const given = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (given === null && field.isOptional() && !field.isNullable()) delete fields[name];
    else dropNulls(field, given);
  }
}

/** What a schema takes in, whatever it makes of it. */
function withoutWrappers(schema: z.core.$ZodType): z.core.$ZodType {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) return withoutWrappers(schema.unwrap());
  return schema instanceof z.ZodPipe ? withoutWrappers(schema.in) : schema;
}

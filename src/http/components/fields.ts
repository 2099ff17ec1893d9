import { z } from 'zod';
import type { Configured } from '#actors/component/contract.ts';
import { masked } from '#actors/secrets.ts';
import type { JsonObject } from '#actors/representation.ts';
import { catalogueEntry, keysOf } from '#src/config/catalogue.ts';
import { type Component, readConfiguration, type Values } from '#src/config/components.ts';
import { Secret } from '#src/config/config.ts';
import { jsonObject } from '#src/ingest/fields.ts';
import { text } from '../schemas.ts';

export const componentName = text.describe('As in `components.list`.');

/** `app_id` as `appId`, which is how the configuration file writes it. */
const fileName = (key: string): string => key.replaceAll(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());

/** What is wrong with the names of fields that are given for a component, by field; a value is another matter. */
function problemsOfNames(component: string, data: Record<string, unknown>): [field: string, problem: string][] {
  const entry = catalogueEntry(component);
  if (entry === null) return [];
  const known = Object.keys(keysOf(entry));
  const names = Object.keys(data).map(fileName);
  return Object.keys(data).flatMap((field, n): [string, string][] => {
    if (!known.includes(names[n]!)) return [[field, `is not known; known here: ${known.join(', ') || 'no keys'}`]];
    return names.indexOf(names[n]!) === n ? [] : [[field, 'is given twice']];
  });
}

/** What `components.update` says of one component. */
export const componentChange = z
  .strictObject(
    {
      name: componentName,
      enabled: z.boolean(),
      data: jsonObject.optional().describe('Its whole configuration, snake_case or camelCase. Absent: it stays.'),
    },
    { error: ({ code, keys }) => (code === 'unrecognized_keys' ? `has unknown fields: ${keys}` : undefined) },
  )
  .superRefine(({ name, data = {} }, context) => {
    for (const [field, message] of problemsOfNames(name, data)) {
      context.addIssue({ code: 'custom', path: ['data', field], message });
    }
  });

/** A configuration with its secrets in plain text, in the words of the file. */
const plainValues = (values: Values): JsonObject =>
  mapped(values, (value) => (value instanceof Secret ? value.reveal() : value));

/** A configuration as everybody may see it. */
export const shownValues = (values: Values): JsonObject =>
  mapped(values, (value) => (value instanceof Secret ? masked(value.reveal()) : value));

const mapped = (values: Values, shown: (value: unknown) => unknown): JsonObject =>
  Object.fromEntries(Object.entries(values).map(([key, value]) => [key, shown(value)])) as JsonObject;

/** A configuration that was read from an answer and is given back: a masked secret stands for the one that counts now. */
function unmasked(given: Record<string, unknown>, now: Values | null): Record<string, unknown> {
  const [plain, shown] = [plainValues(now ?? {}), shownValues(now ?? {})];
  return Object.fromEntries(
    Object.entries(given).map(([field, value]) => {
      const key = fileName(field);
      return [key, value === shown[key] ? plain[key] : value];
    }),
  );
}

/** Reads a configuration that is given for a component: as it is stored, or why the file would not take it. */
export function configurationOf(component: Component, data: Record<string, unknown>): Configured | string {
  const { entry, values: now } = component;
  const { values, problems } = readConfiguration(entry, unmasked(data, now));
  if (problems.length > 0) return problems.map(({ key, reason }) => `${key} ${reason}`).join('; ');
  return { secret: JSON.stringify(plainValues(values)), shown: shownValues(values) };
}

import { z } from 'zod';
import { isObject } from '#actors/json.ts';
import { excessOf } from '#actors/metadata.ts';
import type { JsonObject } from '#actors/representation.ts';
import { jsonObject } from '#src/ingest/fields.ts';
import { url } from '../schemas.ts';

const word = z.string().max(64);
const line = z.string().max(255);
/** `""` removes a field. */
const empty = z.literal('').describe('Removes it.');

/** An object without arrays at any depth. */
const tree = jsonObject
  .superRefine((value, context) => {
    const object = value as JsonObject;
    // The levels first: nobody looks into what is nested without end.
    const excess = excessOf(object);
    if (excess !== null) context.addIssue({ code: 'custom', message: `is too large: ${excess}` });
    else for (const path of arraysIn(object)) context.addIssue({ code: 'custom', path, message: 'must not be a list' });
  })
  .meta({ type: 'object', additionalProperties: {}, description: 'Any JSON object without lists.' });

function* arraysIn(object: JsonObject, path: string[] = []): Generator<string[]> {
  for (const [key, value] of Object.entries(object)) {
    if (Array.isArray(value)) yield [...path, key];
    else if (isObject(value)) yield* arraysIn(value, [...path, key]);
  }
}

const addressFields = [
  ...(['organization_name', 'address_line1', 'address_line2'] as const),
  ...(['postcode', 'city', 'state', 'country'] as const),
];

/** Of an object that may be `""` as well, each field is checked by hand: a union would not say which one is wrong. */
const address = jsonObject
  .superRefine((value, context) => {
    for (const name of addressFields) {
      const { error } = line.nullish().safeParse(value[name]);
      for (const { message } of error?.issues ?? []) context.addIssue({ code: 'custom', path: [name], message });
    }
  })
  .meta({
    type: 'object',
    additionalProperties: {},
    properties: Object.fromEntries(addressFields.map((name) => [name, { type: 'string', maxLength: 255 }])),
    description: 'A postal address.',
  });

/** What may be said of a contact, when it is made and later. */
export const contactFields = {
  display_name: line.optional(),
  avatar_url: url.or(empty).optional(),
  title: line.optional(),
  timezone: word.optional().describe('Relative to GMT.'),
  gender: word.optional(),
  locale: word.optional().describe('For example en_US.'),
  organization_name: line.optional(),
  via: tree.or(empty).optional().describe('How to reach the contact: phone, email and others.'),
  address: address.or(empty).optional(),
  metadata: tree.or(empty).optional(),
};

/** A contact that is to be made. */
export const contactObject = z.object(contactFields);

/** What a request says of a contact, as a command carries it: fields that contacts do not have are left out. */
export function saidFields(said: z.output<typeof contactObject>): JsonObject {
  const fields = chosen(said as JsonObject, Object.keys(contactFields));
  const { address: place } = fields;
  return isObject(place) ? { ...fields, address: chosen(place, addressFields) } : fields;
}

const chosen = (object: JsonObject, names: readonly string[]): JsonObject =>
  Object.fromEntries(names.flatMap((name) => (object[name] === undefined ? [] : [[name, object[name]]])));

/** What a contact is made of, in examples. */
export const exampleContact = {
  display_name: 'Barbara Liskov',
  title: 'Professor',
  timezone: '-5',
  locale: 'en_US',
  organization_name: 'MIT',
  via: { phone: '+1 555 0100', email: 'barbara@example.com' },
  address: { city: 'Cambridge', country: 'US' },
  metadata: { crm: { number: 4711 } },
};

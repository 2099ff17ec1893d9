import { isObject, merged } from '../json.ts';
import { metadataText } from '../metadata.ts';
import { type ContactJson, isoTime, type Json, type JsonObject } from '../representation.ts';

/** What a caller may say of a contact. */
export type ContactFields = Omit<ContactJson, 'id' | 'conversations' | 'created_at'>;

const fieldNames = [
  ...(['display_name', 'avatar_url', 'title', 'timezone', 'gender', 'locale', 'organization_name'] as const),
  ...(['via', 'address', 'metadata'] as const),
] satisfies (keyof ContactFields)[];

/**
 * Fields with what a request says over them: what is absent or null stays, `""` removes, in nested objects too.
 * @throws Failure `metadata_too_large` for `via` and `metadata` together
 */
export function changedFields(before: ContactFields, said: JsonObject): ContactFields {
  const after = fieldsOf(merged(before as JsonObject, asPatch(said)));
  metadataText({ via: after.via ?? {}, metadata: after.metadata ?? {} });
  return after;
}

/** Whether what a request says is nothing at all. */
export const saysNothing = (said: JsonObject): boolean => Object.keys(fieldsOf(merged({}, asPatch(said)))).length === 0;

/** The fields of what holds more, in their order, without those that are empty. */
export function fieldsOf(contact: JsonObject | ContactJson): ContactFields {
  const given = fieldNames.map((name) => [name, contact[name]] as const);
  return Object.fromEntries(given.filter(([, value]) => value !== undefined && !isEmpty(value))) as ContactFields;
}

const isEmpty = (value: Json): boolean => isObject(value) && Object.keys(value).length === 0;

/** As `merged` takes it: null removes there. */
function asPatch(said: JsonObject): JsonObject {
  const given = Object.entries(said).filter(([, value]) => value !== null);
  return Object.fromEntries(
    given.map(([key, value]) => [key, value === '' ? null : isObject(value) ? asPatch(value) : value]),
  );
}

/** A contact as the API shows it. */
export const contactJson = (
  id: string,
  fields: ContactFields,
  conversations: Record<string, string>,
  createdAt: number,
): ContactJson => ({ id, ...fields, conversations, created_at: isoTime(createdAt) });

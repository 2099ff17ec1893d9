import { contactImportActor } from '../contact-import/contract.ts';
import { isObject, parseJson } from '../json.ts';
import type { Json, JsonObject } from '../representation.ts';
import type { ContactRuntime } from './writer.ts';

/**
 * Has imports forget what they could not handle and names somebody who is erased: who has the same name, or can be
 * reached in the same way. Nothing was made of it, and nobody was told that it would be.
 * @param shown JSON texts of what the contact showed
 */
export function forgetImportLetters(runtime: ContactRuntime, shown: readonly string[]): void {
  const letters = runtime.reads.importLetters();
  if (letters.length === 0) return;
  const names = new Set(shown.flatMap((text) => namesIn(parseJson(text) as JsonObject)));
  for (const { import: id, commandId, contacts } of letters) {
    const isNamed = contacts.flatMap(namesIn).some((name) => names.has(name));
    if (isNamed) runtime.tell(contactImportActor(id), 'import.erase-letter', { commandId });
  }
}

/** What a person is known by. */
const namesIn = ({ display_name = '', via = {} }: JsonObject): string[] =>
  [display_name, via].flatMap(textsIn).map((text) => text.trim().toLowerCase());

function textsIn(value: Json): string[] {
  if (isObject(value)) return Object.values(value).flatMap(textsIn);
  return typeof value === 'string' && value.trim() !== '' ? [value] : [];
}

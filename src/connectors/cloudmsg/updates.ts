import { isObject } from '#actors/json.ts';
import type { Json, JsonObject } from '#actors/representation.ts';
import type { RawRequest } from '../connector.ts';
import { listOf, objectOf } from '../graph/fields.ts';
import { splitEntries, splitLists } from '../graph/updates.ts';

/** What a change has lists of. */
const lists = ['messages', 'statuses', 'message_echoes', 'errors'];

/** Each message, and each status, alone. */
export const split = ({ body }: RawRequest): readonly string[] =>
  splitEntries(body, (entry) => splitLists(entry, ['changes']).flatMap(splitChange));

function splitChange(entry: JsonObject): Json[] {
  const [change] = listOf(entry['changes']);
  if (!isObject(change) || !isObject(change['value'])) return [entry];
  const values = splitLists(change['value'], lists);
  if (values.length < 2) return [entry];
  return withOwnContacts(values).map((value) => ({ ...entry, changes: [{ ...change, value }] }));
}

/** Of many contacts each part keeps the one that it is about: else a batch would grow by its square. */
function withOwnContacts(values: JsonObject[]): JsonObject[] {
  const { contacts } = values[0]!;
  if (!Array.isArray(contacts) || contacts.length < 2) return values;
  const byNumber = Map.groupBy(contacts, (contact) => objectOf(contact)['wa_id']);
  return values.map((value) => {
    const item = objectOf(lists.flatMap((name) => value[name] ?? [])[0]);
    return { ...value, contacts: byNumber.get(item['from'] ?? item['recipient_id'] ?? item['to']) ?? [] };
  });
}

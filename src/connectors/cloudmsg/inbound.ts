import type { Json, JsonObject } from '#actors/representation.ts';
import type { Inbound, MetadataItem } from '#src/ingest/items.ts';
import { idOf, listOf, objectOf, textOf } from '../graph/fields.ts';
import { objectIn } from '../outcome.ts';
import { type Said, joined } from '../graph/said.ts';
import { saidBy } from './messages.ts';
import { saidOf } from './statuses.ts';

/** What an update says; null: nothing that is known. */
export function readChanges(update: string): Inbound | null {
  const { object, entry } = objectIn(update);
  if (object !== 'whatsapp_business_account') return null;
  const changes = listOf(entry).flatMap((one) => listOf(objectOf(one)['changes']));
  const said = changes.flatMap((change) => saidIn(objectOf(objectOf(change)['value'])));
  return joined('cloudmsg', said);
}

function saidIn(value: JsonObject): Said[] {
  const channel = idOf(objectOf(value['metadata'])['phone_number_id']);
  if (channel === null) return [];
  const all = (name: string, read: (item: JsonObject) => Said | null) =>
    listOf(value[name]).flatMap((item) => read(objectOf(item)) ?? []);
  const said = [
    ...all('messages', (message) => saidBy(message, channel, 'contact')),
    ...all('message_echoes', (message) => saidBy(message, channel, 'business')),
    ...all('statuses', saidOf),
  ];
  const names = said.length === 0 ? [] : namesIn(listOf(value['contacts']), channel);
  return names.length === 0 ? said : [...said, { metadata: names }];
}

/** How contacts call themselves. */
const namesIn = (contacts: readonly Json[], channel: string): MetadataItem[] =>
  contacts.flatMap((contact): MetadataItem[] => {
    const { wa_id: number, profile } = objectOf(contact);
    const [sourceId, name] = [idOf(number), textOf(objectOf(profile)['name'])];
    if (sourceId === null || name === null) return [];
    return [{ namespace: 'conversation', sourceId, channel, metadata: { contact: { display_name: name } } }];
  });

import type { JsonObject } from '#actors/representation.ts';
import type { Inbound } from '#src/ingest/items.ts';
import { idOf, listOf, objectOf, timeOf, unknownTime } from '../graph/fields.ts';
import { objectIn } from '../outcome.ts';
import { type Said, joined } from '../graph/said.ts';
import { type EventPlace, readers } from './events.ts';
import { eventLists } from './updates.ts';

/** The sources by what the platform calls them in its updates. */
const sources: Record<string, string> = { page: 'pageplatform', instagram: 'photoplatform' };

/** What an update says; null: nothing that is known. */
export function readEvents(update: string): Inbound | null {
  const { object, entry } = objectIn(update);
  const source = typeof object === 'string' && Object.hasOwn(sources, object) ? sources[object]! : null;
  return source === null ? null : joined(source, listOf(entry).map(objectOf).flatMap(saidIn));
}

const saidIn = (entry: JsonObject): Said[] =>
  eventLists
    .flatMap((name) => listOf(entry[name]))
    .map(objectOf)
    .flatMap((event) => {
      const place = placeOf(entry, event);
      if (place === null) return [];
      return Object.entries(readers).flatMap(([name, readerOf]) =>
        event[name] === undefined ? [] : (readerOf(event[name], place) ?? []),
      );
    });

/** Where and when an event happened; null: the platform does not say with whom. */
function placeOf(entry: JsonObject, event: JsonObject): EventPlace | null {
  const channel = idOf(entry['id']);
  const [sender, recipient] = [event['sender'], event['recipient']].map((side) => idOf(objectOf(side)['id']));
  const isOwn = sender === channel || objectOf(event['message'])['is_echo'] === true;
  const contact = isOwn ? recipient : sender;
  if (channel === null || contact == null) return null;
  const at = timeOf(event['timestamp'], 1) ?? timeOf(entry['time'], 1) ?? unknownTime;
  return { channel, contact, isOwn, at };
}

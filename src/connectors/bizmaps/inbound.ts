import { isObject } from '#actors/json.ts';
import type { Json, JsonObject } from '#actors/representation.ts';
import { foreignId } from '#src/ingest/fields.ts';
import { type Inbound, type MetadataItem, type SignalItem, timeUnknown } from '#src/ingest/items.ts';
import { objectIn } from '../outcome.ts';
import { lastPart } from './names.ts';

export const source = 'bizmaps';

type Said = Omit<Inbound, 'source'>;
interface Place {
  channel: string;
  conversation: string;
}

const nothing: Said = { messages: [], metadata: [], receipts: [] };

/** What a call of the platform says: of one conversation, one thing at a time. Null: something else. */
export function readEvent(update: string): Inbound | null {
  const event = objectIn(update) as JsonObject;
  const place = placeIn(event);
  if (place === null) return null;
  for (const reader of readers) {
    const said = reader(event, place);
    if (said !== null) return { source, ...said };
  }
  return null;
}

/** An agent has an id of the platform's, and may have one of its own. */
function placeIn(event: JsonObject): Place | null {
  const channel = idIn(lastPart(event['agent'], 'agents')) ?? idIn(event['customAgentId']);
  const conversation = idIn(event['conversationId']);
  return channel === null || conversation === null ? null : { channel, conversation };
}

const idIn = (value: unknown): string | null => foreignId.safeParse(value).data ?? null;
const objectOf = (parent: JsonObject, key: string): JsonObject | null => {
  const value = parent[key];
  return isObject(value) ? value : null;
};

function messageIn(event: JsonObject, place: Place): Said | null {
  const message = objectOf(event, 'message');
  const id = message && (idIn(message['messageId']) ?? idIn(lastPart(message['name'], 'messages')));
  return message === null || id === null ? null : written(event, place, id, message);
}

/** The answer that a contact chose instead of writing one: it has no id but that of the call. */
function suggestionIn(event: JsonObject, place: Place): Said | null {
  const response = objectOf(event, 'suggestionResponse');
  const id = idIn(event['requestId']);
  if (response === null || id === null) return null;
  const { postbackData: payload, text: title, type, message } = response;
  const postback: JsonObject = {
    ...(payload !== undefined && { payload }),
    ...(title !== undefined && { title }),
    ...(type !== undefined && { type }),
    ...(message !== undefined && { message: lastPart(message, 'messages') ?? message }),
  };
  const said = written(event, place, id, response);
  const item: MetadataItem = { namespace: 'message', sourceId: id, ...place, metadata: { postback } };
  return { ...said, metadata: [...said.metadata, item] };
}

function written(event: JsonObject, place: Place, id: string, content: JsonObject): Said {
  const sentAt = timeIn(content['createTime']) ?? timeIn(event['sendTime']) ?? timeUnknown;
  const item = { id, ...place, sender: place.conversation, content, fromContact: true, sentAt };
  return { ...nothing, messages: [item], metadata: nameIn(event, place) };
}

const earliest = Date.UTC(2000, 0, 1);

/** RFC 3339 with up to nine digits of a second, as epoch ms. */
function timeIn(value: Json | undefined): number | null {
  if (typeof value !== 'string' || !/^\d{4}-\d\d-\d\dT/.test(value)) return null;
  const time = Date.parse(value);
  return time >= earliest && time <= timeUnknown ? time : null;
}

function nameIn(event: JsonObject, { channel, conversation }: Place): MetadataItem[] {
  const context = objectOf(event, 'context');
  const name = context && objectOf(context, 'userInfo')?.['displayName'];
  if (typeof name !== 'string' || name.trim() === '') return [];
  const metadata = { contact: { display_name: name.trim() } };
  return [{ namespace: 'conversation', sourceId: conversation, channel, metadata }];
}

/** A contact logged in with a service of the business, or would not: the latest answer is kept, without what was before. */
function authenticationIn(event: JsonObject, { channel, conversation }: Place): Said | null {
  const response = objectOf(event, 'authenticationResponse');
  if (response === null) return null;
  const authenticationResponse = { code: null, redirectUri: null, errorDetails: null, ...response };
  const metadata = { authenticationResponse };
  return { ...nothing, metadata: [{ namespace: 'conversation', sourceId: conversation, channel, metadata }] };
}

/** Receipts name messages of ours by the ids that they were sent with. */
function receiptsIn(event: JsonObject): Said | null {
  const list = objectOf(event, 'receipts')?.['receipts'] ?? event['receipts'];
  if (!Array.isArray(list)) return null;
  const receipts = list.flatMap((receipt) => {
    if (!isObject(receipt)) return [];
    const message = idIn(lastPart(receipt['message'], 'messages'));
    const state = receipt['receiptType'];
    const isState = typeof state === 'string' && /^[A-Z_]{1,40}$/.test(state);
    return message === null || !isState ? [] : [{ message, state: state.toLowerCase() }];
  });
  return receipts.length === 0 ? null : { ...nothing, receipts };
}

function statusIn(event: JsonObject, place: Place): Said | null {
  const status = objectOf(event, 'userStatus');
  if (status === null) return null;
  const typing = flagIn(status['isTyping']);
  const signals: SignalItem[] = [
    ...(typing === null ? [] : [{ ...place, kind: 'typing' as const, typing }]),
    ...(flagIn(status['requestedLiveAgent']) ? [{ ...place, kind: 'agent-requested' as const }] : []),
  ];
  return signals.length === 0 ? null : { ...nothing, signals };
}

/** The platform's own examples have flags as text too. */
function flagIn(value: Json | undefined): boolean | null {
  if (value === true || value === 'true') return true;
  return value === false || value === 'false' ? false : null;
}

const readers = [messageIn, suggestionIn, receiptsIn, statusIn, authenticationIn];

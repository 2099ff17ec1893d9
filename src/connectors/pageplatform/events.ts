import { isObject } from '#actors/json.ts';
import type { Json, JsonObject } from '#actors/representation.ts';
import type { MessageItem, MetadataItem } from '#src/ingest/items.ts';
import { idOf, listOf, objectOf, textOf, timeOf } from '../graph/fields.ts';
import type { Said } from '../graph/said.ts';

/** Where and when something happened. */
export interface EventPlace {
  channel: string;
  contact: string;
  /** Done on the side of the page: by the hub, another app or a person. */
  isOwn: boolean;
  /** Epoch ms. */
  at: number;
}

type EventReader = (value: Json | undefined, place: EventPlace) => Said | null;

/** What each part of an event says; null: nothing that is known. */
export const readers: Readonly<Record<string, EventReader>> = {
  message: (value, place) => {
    const { mid, is_deleted: isDeleted } = objectOf(value);
    return isDeleted === true ? ofMessage(mid, place, { deleted: true }) : written(idOf(mid), value, place);
  },
  postback(value, place) {
    if (!isObject(value)) return null;
    const id = idOf(value['mid']) ?? idOf(`postback:${place.contact}:${place.at}`);
    const message = written(id, { postback: value }, place);
    return message && { ...message, ...ofMessage(id, place, { postback: value }) };
  },
  reaction(value, place) {
    const { mid, action, emoji, reaction } = objectOf(value);
    if (action === 'unreact') return ofMessage(mid, place, { reaction: null });
    const shown = textOf(emoji) ?? textOf(reaction);
    if (shown === null) return null;
    return ofMessage(mid, place, { reaction: { emoji: shown, sent_at: timeText(place.at) } });
  },
  message_edit(value, place) {
    const { mid, ...edit } = objectOf(value);
    return ofMessage(mid, place, { edited: { ...edit, sent_at: timeText(place.at) } });
  },
  delivery(value, place) {
    const { mids, watermark } = objectOf(value);
    return reached('delivered', listOf(mids), watermark, place);
  },
  read(value, place) {
    const { mid, watermark } = objectOf(value);
    return reached('read', [mid], watermark, place);
  },
  sender_action(value, place) {
    if (value !== 'typing_on' && value !== 'typing_off') return null;
    return place.isOwn ? null : { signals: [{ ...at(place), kind: 'typing', typing: value === 'typing_on' }] };
  },
  referral: (value, place) => ofConversation('referral', value, place),
  optin: (value, place) => ofConversation('optin', value, place),
  pass_thread_control: (value, place) => ofConversation('pass_thread_control', value, place),
  take_thread_control: (value, place) => ofConversation('take_thread_control', value, place),
  request_thread_control: (value, place) => ofConversation('request_thread_control', value, place),
};

const at = ({ channel, contact }: EventPlace) => ({ channel, conversation: contact });

const timeText = (time: number): string => new Date(time).toISOString();

function written(id: string | null, content: Json | undefined, place: EventPlace): { messages: MessageItem[] } | null {
  if (id === null || content === undefined) return null;
  const { channel, contact, isOwn, at: sentAt } = place;
  const sender = isOwn ? channel : contact;
  return { messages: [{ ...at(place), id, sender, content, fromContact: !isOwn, sentAt }] };
}

function ofMessage(mid: unknown, place: EventPlace, metadata: JsonObject): { metadata: MetadataItem[] } | null {
  const sourceId = idOf(mid);
  if (sourceId === null) return null;
  return { metadata: [{ namespace: 'message', sourceId, ...at(place), metadata }] };
}

/** What tells of a conversation how it came about, or who has it. Tokens in it are not for everybody to read. */
function ofConversation(name: string, value: Json | undefined, place: EventPlace): Said | null {
  if (!isObject(value)) return null;
  const told = Object.fromEntries(Object.entries(value).filter(([key]) => !key.endsWith('_token')));
  const { channel, contact } = place;
  return { metadata: [{ namespace: 'conversation', sourceId: contact, channel, metadata: { [name]: told } }] };
}

/** Receipts of the messages that are named, and of all that were sent before a watermark. What the page has read says nothing. */
function reached(
  state: string,
  mids: readonly (Json | undefined)[],
  watermark: Json | undefined,
  place: EventPlace,
): Said | null {
  if (place.isOwn) return null;
  const receipts = mids.map(idOf).flatMap((message) => (message === null ? [] : [{ message, state }]));
  const until = timeOf(watermark, 1);
  if (receipts.length === 0 && until === null) return null;
  return { receipts, ...(until !== null && { signals: [{ ...at(place), kind: 'reached', state, until }] }) };
}

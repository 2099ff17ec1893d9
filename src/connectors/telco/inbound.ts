import type { JsonObject } from '#actors/representation.ts';
import { foreignId } from '#src/ingest/fields.ts';
import { type Inbound, type MetadataItem, timeUnknown } from '#src/ingest/items.ts';
import { addressIn, type TelcoAddress } from './addresses.ts';
import { failureText } from './errors.ts';

/** States before the platform has handed a message on: they tell nobody anything, and may come late. */
const stillHere = new Set(['accepted', 'scheduled', 'queued', 'sending']);
const failures = new Set(['undelivered', 'failed', 'canceled']);
const receipts = new Set(['sent', 'delivered', 'read', ...failures]);

const nothing = { messages: [], metadata: [], receipts: [] };

/** What a form of the platform says: a contact's message, or how far one of ours is. Null: something else. */
export function readForm(update: string): Inbound | null {
  const form = new URLSearchParams(update);
  const sid = form.get('MessageSid') ?? form.get('SmsMessageSid') ?? form.get('SmsSid');
  const [from, to] = [addressIn(form.get('From') ?? ''), addressIn(form.get('To') ?? '')];
  if (!foreignId.safeParse(sid).success || from === null || to === null || from.source !== to.source) return null;
  if (form.has('MessageStatus')) return receiptIn(form, sid!, from.source, form.get('MessageStatus')!);
  if (form.has('Body') || form.has('NumMedia')) return messageIn(form, sid!, from, to);
  return form.has('SmsStatus') ? receiptIn(form, sid!, from.source, form.get('SmsStatus')!) : null;
}

/** The platform names no time of a message. */
function messageIn(form: URLSearchParams, id: string, from: TelcoAddress, to: TelcoAddress): Inbound {
  const place = { channel: to.id, conversation: from.id };
  const content = Object.fromEntries(form);
  return {
    source: to.source,
    messages: [{ id, ...place, sender: from.id, content, fromContact: true, sentAt: timeUnknown }],
    metadata: [...nameIn(form, place), ...postbackIn(form, id, place)],
    receipts: [],
  };
}

interface Place {
  channel: string;
  conversation: string;
}

function nameIn(form: URLSearchParams, { channel, conversation }: Place): MetadataItem[] {
  const name = form.get('ProfileName')?.trim() ?? '';
  if (name === '') return [];
  const metadata = { contact: { display_name: name } };
  return [{ namespace: 'conversation', sourceId: conversation, channel, metadata }];
}

/** What was sent with a button, or a line of a list, that the contact chose. */
function postbackIn(form: URLSearchParams, sourceId: string, place: Place): MetadataItem[] {
  const payload = form.get('ButtonPayload') ?? form.get('ListId');
  const title = form.get('ButtonText') ?? form.get('ListTitle');
  if (payload === null) return [];
  const postback: JsonObject = { payload, ...(title !== null && { title }) };
  return [{ namespace: 'message', sourceId, ...place, metadata: { postback } }];
}

/** Ids of messages are unique at the platform: where one is needs no saying, and its number may have changed on the way. */
function receiptIn(form: URLSearchParams, message: string, source: string, state: string): Inbound | null {
  if (stillHere.has(state)) return { source, ...nothing };
  if (!receipts.has(state)) return null;
  const metadata: MetadataItem[] = failures.has(state)
    ? [{ namespace: 'message', sourceId: message, metadata: { error: failureIn(form) } }]
    : [];
  return { source, messages: [], metadata, receipts: [{ message, state }] };
}

const failureIn = (form: URLSearchParams): string =>
  failureText(form.get('ErrorCode') ?? '', form.get('ErrorMessage') ?? form.get('ChannelStatusMessage') ?? '');

import { foreignId } from '#src/ingest/fields.ts';

/** Text messages, and chat messages between numbers: one platform, told apart by what stands before a number. */
export type TelcoSource = 'telco.sms' | 'telco.cloudmsg';

/** What stands before the numbers of chat: on the wire, and in the hub's ids. */
const wirePrefix = 'whatsapp:';
const ownPrefix = 'cloudmsg:';
/** What stands before addresses of anything else, such as `messenger:`. */
const anyPrefix = /^[a-z]+:/i;

/** A number in the hub's words. */
export interface TelcoAddress {
  source: TelcoSource;
  id: string;
}

/** What the platform calls a number, in the hub's words. Null: it is no text message's, and no chat's. */
export function addressIn(wire: string): TelcoAddress | null {
  const isChat = wire.startsWith(wirePrefix);
  const number = isChat ? wire.slice(wirePrefix.length) : wire;
  if (number === '' || anyPrefix.test(number)) return null;
  const id = isChat ? ownPrefix + number : number;
  if (!foreignId.safeParse(id).success) return null;
  return { source: isChat ? 'telco.cloudmsg' : 'telco.sms', id };
}

/** What the platform calls a number, given the hub's id of it. */
export const onTheWire = (id: string): string =>
  id.startsWith(ownPrefix) ? wirePrefix + id.slice(ownPrefix.length) : id;

/** The hub's id of a number, given as the platform lists it. */
export const idOf = (number: string, source: string): string =>
  source === 'telco.cloudmsg' && !number.startsWith(ownPrefix) ? ownPrefix + number : number;

/**
 * The id of a contact whose number somebody wrote down: as the platform will name it when the contact answers. What is no
 * number stays as it is, but for spaces.
 */
export function contactId(recipient: string, source: string): string {
  const given = recipient.replace(/\s/g, '');
  const written = given.startsWith(ownPrefix) || given.startsWith(wirePrefix) ? given.slice(ownPrefix.length) : given;
  const isNumber = /^\+?[\d().\-/]+$/.test(written) && /\d/.test(written);
  const number = isNumber ? digitsOf(written) : written;
  // Numbers of chat have their country code always, and many write them without the plus.
  const isShort = source === 'telco.cloudmsg' && /^[1-9]\d{6,14}$/.test(number);
  return idOf(isShort ? `+${number}` : number, source);
}

/** `(0)` is dialled at home only, `00` in the place of a plus. */
const digitsOf = (number: string): string =>
  number
    .replace('(0)', '')
    .replace(/[().\-/]/g, '')
    .replace(/^00/, '+');

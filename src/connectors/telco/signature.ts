import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { RawRequest } from '../connector.ts';

/** What a request is verified with. */
export interface SignatureParts {
  authToken: string;
  /** Where others reach the hub, which the platform signs; empty: where the request says it came to. */
  publicUrl: string;
}

/**
 * Whether the platform signed a request: base64 of an HMAC-SHA1, keyed with the account's token, over the address that it
 * called and the sorted fields of the form. The address of any other body holds its digest, and the signature no field.
 */
export function isSignedForm({ url, headers, body }: RawRequest, { authToken, publicUrl }: SignatureParts): boolean {
  const given = headers['x-twilio-signature'];
  if (typeof given !== 'string') return false;
  const digest = url.searchParams.get('bodySHA256');
  if (digest !== null && !isSame(digest, createHash('sha256').update(body).digest('hex'))) return false;
  const fields = digest === null ? signedFields(Buffer.from(body).toString()) : '';
  return addressesOf(url, publicUrl).some((address) => isSame(given, signatureOf(address + fields, authToken)));
}

const signatureOf = (text: string, authToken: string): string =>
  createHmac('sha1', authToken).update(text).digest('base64');

function isSame(given: string, wanted: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(wanted)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/** Names and values one after the other, by name. A name that is repeated stands before each of its values. */
function signedFields(text: string): string {
  const byName = Map.groupBy(new URLSearchParams(text), ([name]) => name);
  const names = [...byName.keys()].sort();
  return names.flatMap((name) => sortedValues(byName.get(name)!).map((value) => name + value)).join('');
}

const sortedValues = (fields: readonly [name: string, value: string][]): string[] =>
  [...new Set(fields.map(([, value]) => value))].sort();

/** The address that was called, without a port and with one: the platform signs now this, now that. */
function addressesOf({ protocol, origin, pathname, search }: URL, publicUrl: string): string[] {
  const base = publicUrl === '' ? origin : publicUrl.replace(/\/$/, '');
  const [, host = base, port = standardPort(publicUrl || protocol), prefix = ''] =
    /^(https?:\/\/[^/]*?)(:\d+)?(\/.*)?$/i.exec(base) ?? [];
  const path = prefix + pathname + search;
  return [host + path, host + port + path];
}

const standardPort = (address: string): string => (/^https:/i.test(address) ? ':443' : ':80');

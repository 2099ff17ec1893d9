import { hash } from 'node:crypto';

const namespaceBytes = new Map<string, Buffer>();

/** The 16 bytes of a UUID. */
export function uuidToBytes(uuid: string): Buffer {
  return Buffer.from(uuid.replaceAll('-', ''), 'hex');
}

/** The lower-case text form of 16 bytes. */
export function uuidFromBytes(bytes: Uint8Array): string {
  const hex = Buffer.from(bytes.buffer, bytes.byteOffset, 16).toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** UUID version 5 of the parts, joined so that no two lists of parts give the same name. */
export function uuidV5(namespace: string, ...parts: string[]): string {
  let prefix = namespaceBytes.get(namespace);
  if (!prefix) {
    prefix = uuidToBytes(namespace);
    namespaceBytes.set(namespace, prefix);
  }
  const name = nameOf(parts);
  const bytes = hash('sha1', Buffer.concat([prefix, Buffer.from(name, 'utf8')]), 'buffer').subarray(0, 16);
  bytes[6] = (bytes[6]! & 0x0f) | 0x50;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  return uuidFromBytes(bytes);
}

/**
 * A UUID version 8 of two names: its first half follows from the one, its second from the other, so that all ids with
 * the same first name stand together in an index. 60 and 62 bits of SHA-256.
 */
export function uuidV8(first: readonly string[], second: readonly string[]): string {
  const bytes = Buffer.concat([halfOf(first), halfOf(second)]);
  bytes[6] = (bytes[6]! & 0x0f) | 0x80;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  return uuidFromBytes(bytes);
}

const halfOf = (parts: readonly string[]): Buffer => hash('sha256', nameOf(parts), 'buffer').subarray(0, 8);

/** No two lists of parts give the same name. */
const nameOf = (parts: readonly string[]): string => parts.map((part) => `${part.length}:${part}`).join('');

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Whether the text is a UUID in lower case. */
export const isUuid = (text: string): boolean => uuidPattern.test(text);

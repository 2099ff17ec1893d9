import { createCipheriv, createDecipheriv, createHmac, hkdfSync } from 'node:crypto';
import type { Connection } from './database.ts';

const [nonceBytes, tagBytes, keyBytes] = [12, 16, 32];

/** Encrypts the secret columns of a file (AES-256-GCM). A value opens only in the place for which it was closed. */
export interface Seal {
  close(text: string, place: string): string;
  /** @throws Error when it was closed with another key, for another place, or changed since */
  open(sealed: string, place: string): string;
}

/** @param secret what the keys are derived from */
export function createSeal(secret: Uint8Array): Seal {
  const derived = (purpose: string): Buffer => Buffer.from(hkdfSync('sha256', secret, '', purpose, keyBytes));
  const key = derived('parley seal: cipher');
  const nonceKey = derived('parley seal: nonce');
  return {
    close(text, place) {
      // It follows from text and place: a change record is the same however often it is made, and two texts share none.
      const nonce = createHmac('sha256', nonceKey).update(`${place}\0${text}`).digest().subarray(0, nonceBytes);
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(place));
      const closed = [nonce, cipher.update(text, 'utf8'), cipher.final()];
      return Buffer.concat([...closed, cipher.getAuthTag()]).toString('base64');
    },
    open(sealed, place) {
      const bytes = Buffer.from(sealed, 'base64');
      const [from, to] = [nonceBytes, Math.max(nonceBytes, bytes.length - tagBytes)];
      const cipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, from), { authTagLength: tagBytes });
      cipher.setAAD(Buffer.from(place)).setAuthTag(bytes.subarray(to));
      return cipher.update(bytes.subarray(from, to), undefined, 'utf8') + cipher.final('utf8');
    },
  };
}

/** Where a secret stands. */
export const placeOf = (table: string, column: string, key: number): string => `${table}.${column}.${key}`;

const seals = new WeakMap<Connection, Seal>();

/** From now on, what is read through a connection has its secrets in plain text. */
export function readWith(db: Connection, seal: Seal): void {
  seals.set(db, seal);
}

/** Null: secrets are read as they are stored. */
export const sealOf = (db: Connection): Seal | null => seals.get(db) ?? null;

import { createHash, createHmac, hkdfSync } from 'node:crypto';
import type { Secret } from '#src/config/config.ts';

/** `parley_`, the id without dashes, `_`, 256 bits as base64url. */
const format = /^parley_([0-9a-f]{32})_([A-Za-z0-9_-]{43})$/;
const idFormat = /^(.{8})(.{4})(.{4})(.{4})(.{12})$/;
const secretBytes = 32;

/**
 * The text of an API key. It follows from its id and the hub's secret, so that a repeated `keys.create` answers the same
 * one and it need not be kept (decision 27).
 */
export function apiKeyText(jwtSecret: Secret, id: string): string {
  const maker = Buffer.from(hkdfSync('sha256', jwtSecret.reveal(), '', 'parley api keys', secretBytes));
  const secret = createHmac('sha256', maker).update(id).digest('base64url');
  return `parley_${id.replaceAll('-', '')}_${secret}`;
}

/** The id that a text names, if it looks like an API key; null: it does not. */
export function apiKeyIdOf(text: string): string | null {
  const hex = format.exec(text)?.[1];
  return hex === undefined ? null : hex.replace(idFormat, '$1-$2-$3-$4-$5');
}

/** What the hub keeps of a key. A fast hash is enough: nobody can go through 256 bits. */
export const apiKeyHash = (text: string): string => createHash('sha256').update(text).digest('base64url');

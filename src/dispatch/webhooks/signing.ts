import { createHmac, createSecretKey, type Hmac, type KeyObject } from 'node:crypto';
import { signatureHeader } from '#src/outgoing/content-signature.ts';
import { version } from '#src/version.ts';

const keyPrefix = 'whsec_';

/** What the headers of a delivery are made of. */
export interface SignedContent {
  /** The delivery's id: the same on all its tries. */
  id: string;
  /** Epoch ms of the attempt. */
  at: number;
  /** What is sent; a string as UTF-8. */
  body: Uint8Array | string;
}

/** Makes the headers of deliveries. */
export type Signer = (content: SignedContent) => Record<string, string>;

/**
 * The signer of a subscription: its configured headers, the three of Standard Webhooks (one signature for each key that
 * is valid) and the hexadecimal HMAC-SHA256 of the exact body, which is keyed with the text of the first key. A configured
 * header never takes the place of one of the hub.
 * @param keys the current key first; none: unsigned
 */
export function createSigner(keys: readonly string[], configured: Readonly<Record<string, string>> = {}): Signer {
  const fixed = fixedHeaders(configured);
  const standard = keys.map(standardKey);
  const plain = keys[0] === undefined ? null : createSecretKey(keys[0], 'utf8');
  return ({ id, at, body }) => {
    const timestamp = String(Math.floor(at / 1_000));
    const headers: Record<string, string> = { ...fixed, 'webhook-id': id, 'webhook-timestamp': timestamp };
    if (plain !== null) {
      const content = `${id}.${timestamp}.`;
      const signatures = standard.map((key) => `v1,${hmac(key).update(content).update(body).digest('base64')}`);
      headers['webhook-signature'] = signatures.join(' ');
      headers[signatureHeader] = hmac(plain).update(body).digest('hex');
    }
    return headers;
  };
}

const ownHeaders = {
  'Content-Type': 'application/json',
  'User-Agent': `parley/${version}`,
};

const reserved = new Set(
  [...Object.keys(ownHeaders), signatureHeader, 'webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) =>
    name.toLowerCase(),
  ),
);

function fixedHeaders(configured: Readonly<Record<string, string>>): Record<string, string> {
  const kept = Object.entries(configured).filter(([name]) => !reserved.has(name.toLowerCase()));
  return { ...Object.fromEntries(kept), ...ownHeaders };
}

/** The key as Standard Webhooks has it: base64 behind `whsec_`, else the text's own bytes. */
function standardKey(key: string): KeyObject {
  return key.startsWith(keyPrefix)
    ? createSecretKey(key.slice(keyPrefix.length), 'base64')
    : createSecretKey(key, 'utf8');
}

const hmac = (key: KeyObject): Hmac => createHmac('sha256', key);

import { hkdfSync } from 'node:crypto';
import type { Config, Secret } from '#src/config/config.ts';

const keyBytes = 32;

/** What the keys of a file's secrets are derived from. They can be handed to another thread, as a Secret can not. */
export interface SealKeys {
  sealKey: Uint8Array;
  /** Of the secret before, which the file may still be under. */
  previousSealKey?: Uint8Array | undefined;
}

const keyOf = (secret: Secret): Uint8Array =>
  new Uint8Array(hkdfSync('sha256', secret.reveal(), '', 'parley secrets at rest', keyBytes));

/** The keys follow from the configuration: a copy of the file alone tells no secret. */
export function sealKeysOf({
  jwtSecret,
  previousJwtSecret,
}: Pick<Config['security'], 'jwtSecret' | 'previousJwtSecret'>): SealKeys {
  return {
    sealKey: keyOf(jwtSecret),
    ...(previousJwtSecret && { previousSealKey: keyOf(previousJwtSecret) }),
  };
}

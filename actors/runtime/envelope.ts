import type { FailureData } from '../errors.ts';
import { parseJson } from '../json.ts';
import { isUuid } from '../uuid.ts';

/** Who a command is for. `id` is a lower-case UUID. */
export interface ActorAddress {
  kind: string;
  id: string;
}

/**
 * What NATS carries to a shard host: one command for one actor. Time and every random id enter here, so that
 * handling it again gives the same result.
 */
export interface Envelope {
  /** UUID. A command that was handled under this id is not handled again: its first answer is sent. */
  commandId: string;
  actor: ActorAddress;
  /** A key of the kind's handler table, for example `message.send`. */
  type: string;
  body: unknown;
  /** Epoch ms at the moment the command was made. */
  now: number;
  /** Epoch ms after which the command is dropped instead of handled. */
  deadline: number;
  /** What led to it: a caller with a request, a command, a timer (`actors/cause.ts`). Kept in the journal. */
  cause: string;
  /** On whose behalf, in words that are no other's: callers share the host evenly. Absent: the hub's own. */
  caller?: string;
}

/** The answer to an envelope, sent after the commit. `replayed`: it was remembered. */
export type Reply =
  | { ok: true; result: unknown; replayed?: true }
  | { ok: false; failure: FailureData; replayed?: true };

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** JSON as UTF-8 bytes: the one encoding on the bus. */
export function encode(value: unknown): Uint8Array {
  return encoder.encode(JSON.stringify(value));
}

/** @throws SyntaxError when the bytes are not JSON. */
export function decode<T>(data: Uint8Array): T {
  return parseJson(decoder.decode(data)) as T;
}

/** Null for bytes that are no envelope for one of the kinds: nobody could be answered, and no letter be addressed. */
export function envelopeOf(data: Uint8Array, kinds: { has(kind: string): boolean }): Envelope | null {
  let envelope: Partial<Envelope> | null;
  try {
    envelope = decode<Partial<Envelope> | null>(data);
  } catch {
    return null;
  }
  const { commandId, actor, type, now, deadline, cause, caller = '' } = envelope ?? {};
  const addressed = actor !== undefined && actor !== null && kinds.has(actor.kind) && isUuid(String(actor.id));
  const timed = Number.isSafeInteger(now) && Number.isSafeInteger(deadline);
  const named = isUuid(String(commandId)) && [type, cause, caller].every((text) => typeof text === 'string');
  return addressed && timed && named ? (envelope as Envelope) : null;
}

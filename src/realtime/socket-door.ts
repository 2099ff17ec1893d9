import type { Failure } from '#actors/errors.ts';
import type { Credentials } from '#src/security/auth.ts';
import type { Session } from './session.ts';
import type { Wire } from './wire.ts';

/** What a client showed with its upgrade request. */
export interface Shown extends Credentials {
  /** The parameter `token` of the address: where a browser can set no header. */
  token?: string | undefined;
  /** Of the page that asks. */
  origin?: string | undefined;
}

/** A session that began with a credential. */
export interface Credited {
  session: Session;
  /** It has a credential of the core API: a key that may be revoked, or a login that may be ended. */
  isOfCaller?: true;
  /** Why whom the credential named may not go on; null: they may. */
  refusal(): Failure | null | Promise<Failure | null>;
}

/** One WebSocket of the hub, by its path: who may come, and what its sessions can do. */
export interface SocketDoor {
  readonly path: `/ws.${string}`;
  /** Begins a session over a wire, whose owner feeds it and says when it is closed. */
  begin(wire: Wire, shown: Shown): Credited;
}

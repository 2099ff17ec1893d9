import type { Caller } from '#src/security/caller.ts';
import type { Subscription } from './fan-out.ts';
import type { Frame, Headers } from './frame.ts';

/** Where the MESSAGE frames of one subscription go: a session's socket. */
export interface Outlet {
  /** @param rest of the frame, from its `message-id` to the NUL @param taken called once the network has all of it */
  write(rest: Buffer, taken?: () => void): void;
  /** Bytes that the network has not taken yet. */
  backlog(): number;
  /** Resolves when the backlog is gone or the socket is closed. */
  drained(): Promise<void>;
  /** The reader is too slow for the live tail: ends the session. */
  overflow(): void;
  /** What it listens to can not be read: ends the session. */
  broken(error: unknown): void;
}

/** What a session leaves to the WebSocket that it is of. One for each session. */
export interface Conduct {
  /** Whom this `Authorization` header of the CONNECT frame, or else the upgrade request, names; null when it is nobody. */
  authenticate(authorization: string | undefined): Promise<Caller | null>;
  /** Never writes before it returns. @throws Failure for a destination that is none, a cursor that can not be read */
  subscribe(destination: string, headers: Headers, outlet: Outlet): Subscription;
  /** Takes a SEND frame. @throws Failure where nothing is taken */
  take(frame: Frame): void;
  /** Takes the headers of an ACK frame: the client has what they name. */
  acknowledged(headers: Headers): void;
  /** The session is over. */
  ended(): void;
}

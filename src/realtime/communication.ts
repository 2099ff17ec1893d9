import { Failure } from '#actors/errors.ts';
import type { Auth, Credentials } from '#src/security/auth.ts';
import { type Caller, callerName } from '#src/security/caller.ts';
import { assertMayCall } from '#src/security/permission.ts';
import type { Services } from '#src/services.ts';
import type { Conduct } from './conduct.ts';
import { parseDestination } from './destination.ts';
import type { SocketDoor } from './socket-door.ts';
import type { FanOut } from './fan-out.ts';
import type { HeartBeatOffer } from './heart-beat.ts';
import { Session } from './session.ts';

export const communicationPath = '/ws.communication';

export interface CommunicationOptions {
  heartBeat: HeartBeatOffer;
  /** Whom the credential of an open socket names by now; unless given, as at its beginning. */
  lookAgain?: Auth;
}

/** The WebSocket of the core API: a client follows the feed, and says nothing (docs/api.md, "WebSocket"). */
export function communicationDoor(
  services: Pick<Services, 'clock' | 'ids' | 'log' | 'feed' | 'unread'>,
  fanOut: FanOut,
  auth: Auth,
  { heartBeat, lookAgain = auth }: CommunicationOptions,
): SocketDoor {
  return {
    path: communicationPath,
    begin(wire, { authorization: ofUpgrade, cookie }) {
      const shown = {
        ...(ofUpgrade !== undefined && { authorization: ofUpgrade }),
        ...(cookie !== undefined && { cookie }),
      };
      const named = async (by: Auth, authorization: string | undefined) =>
        (authorization === undefined ? null : await agentOf(by, { authorization })) ?? agentOf(by, shown);
      let known: { name: string; authorization: string | undefined } | null = null;
      const conduct: Conduct = {
        async authenticate(authorization) {
          const caller = await named(auth, authorization);
          known = caller && { name: callerName(caller), authorization };
          return caller;
        },
        subscribe(destination, headers, outlet) {
          const selection = parseDestination(destination);
          const cursor = headers.get('after');
          const after = cursor ? services.feed.decodeCursor(cursor) : null;
          return fanOut.subscribe(selection, after, { ...outlet, send: ({ rest }) => outlet.write(rest) });
        },
        take() {
          const message = 'This WebSocket is read-only: send messages with POST /messages.send.';
          throw new Failure('invalid_request', message);
        },
        // What a client has is known by the cursor with which it comes back.
        acknowledged() {},
        ended() {},
      };
      const refusal = async () => {
        if (known === null) return null;
        const caller = await named(lookAgain, known.authorization);
        const isSame = caller !== null && callerName(caller) === known.name;
        return isSame ? null : new Failure('unauthorized', 'The credential of this session is no longer valid.');
      };
      return { session: new Session(wire, { services, conduct, heartBeat }), isOfCaller: true, refusal };
    },
  };
}

/** A socket shows what `events.list` does, of every source. */
const follows = { path: '/events.list' };

/** Whom the credentials name to the core API; null when it lets none of them in. */
async function agentOf(auth: Auth, credentials: Credentials): Promise<Caller | null> {
  try {
    const caller = await auth.identify('core', credentials);
    assertMayCall(caller, follows);
    return caller;
  } catch (error) {
    if (error instanceof Failure && (error.code === 'unauthorized' || error.code === 'forbidden')) return null;
    throw error;
  }
}

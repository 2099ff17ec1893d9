import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import { Failure } from '#actors/errors.ts';
import type { Clock } from '#actors/ports.ts';
import type { Auth, Credentials } from '#src/security/auth.ts';
import { type Caller, callerName } from '#src/security/caller.ts';
import { assertMayCall } from '#src/security/permission.ts';
import type { Admission } from '#src/security/gate.ts';
import type { Services } from '#src/services.ts';
import { type Credited, watchCredentials } from './credentials-watch.ts';
import { createFanOut } from './fan-out.ts';
import { clientLimits } from './frame.ts';
import type { HeartBeatOffer } from './heart-beat.ts';
import { Session } from './session.ts';
import { type Wire, wireOf } from './wire.ts';

export interface Realtime {
  /**
   * Takes an upgrade of `/ws.communication`, once the gate has. @returns false for every other path, whose socket it
   * leaves alone. @throws Failure `unavailable` while the hub stops
   */
  handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer, admission: Admission): boolean;
  /** Begins a session over any wire, whose owner feeds it and says when it is closed. */
  open(wire: Wire, credentials: Credentials): Session;
  /** Ends every session with 1001 ("going away") and resolves when their sockets are closed. */
  close(): Promise<void>;
  /** Open sessions. */
  sessions(): number;
}

/** What the endpoint needs of the hub. */
export type RealtimeServices = Pick<Services, 'clock' | 'ids' | 'log' | 'feed' | 'onGrew' | 'problems' | 'unread'>;

export interface RealtimeOptions {
  /** Ms; 30,000 both ways unless given. */
  heartBeat?: HeartBeatOffer;
  /** Whom the credential of an open socket names by now; unless given, as at its beginning. */
  lookAgain?: Auth;
}

export const webSocketPath = '/ws.communication';
const subProtocols = ['v12.stomp', 'v11.stomp', 'v10.stomp'];
const goingAway = 1001;
const closeGraceMs = 1000;
const keepAliveMs = 30_000;

/** The STOMP endpoint of the hub: `ws` for the WebSocket, our own sessions above it (docs/api.md, "WebSocket"). */
export function createRealtime(services: RealtimeServices, auth: Auth, options: RealtimeOptions = {}): Realtime {
  const heartBeat = options.heartBeat ?? { send: 30_000, expect: 30_000 };
  const fanOut = createFanOut(services);
  const open = new Map<WebSocket, Credited>();
  const stopWatching = watchCredentials(services.clock, () => open.values());
  let closing = false;
  const webSockets = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: clientLimits.frameBytes,
    handleProtocols: (offered) => subProtocols.find((protocol) => offered.has(protocol)) ?? false,
  });

  const begin = (wire: Wire, credentials: Credentials): Credited => {
    const named = async (by: Auth, authorization: string | undefined) =>
      (authorization === undefined ? null : await agentOf(by, { authorization })) ?? agentOf(by, credentials);
    let known: { name: string; authorization: string | undefined } | null = null;
    const authenticate = async (authorization: string | undefined) => {
      const caller = await named(auth, authorization);
      known = caller && { name: callerName(caller), authorization };
      return caller;
    };
    const isStillValid = async () => {
      if (known === null) return true;
      const caller = await named(options.lookAgain ?? auth, known.authorization);
      return caller !== null && callerName(caller) === known.name;
    };
    return { session: new Session(wire, { services, fanOut, authenticate, heartBeat }), isStillValid };
  };

  const start = (webSocket: WebSocket, socket: Duplex, credentials: Credentials): void => {
    const credited = begin(wireOf(webSocket, socket), credentials);
    const { session } = credited;
    open.set(webSocket, credited);
    webSocket.on('message', (data) => session.receive(data as Buffer));
    // `ws` closes the socket itself after an error: a message too large, or not a WebSocket frame.
    webSocket.on('error', () => session.closed('socket_error'));
    webSocket.on('close', () => {
      open.delete(webSocket);
      session.closed('left');
    });
  };

  return {
    handleUpgrade(request, socket, head, admission) {
      if (request.url?.split('?', 1)[0] !== webSocketPath) return false;
      if (closing) throw new Failure('unavailable', 'The hub is stopping; try again.');
      const { authorization, cookie } = request.headers;
      const credentials = {
        ...(authorization !== undefined && { authorization }),
        ...(cookie !== undefined && admission === 'own' && { cookie }),
      };
      // A peer that vanishes without heart-beats is found by TCP.
      (socket as Socket).setKeepAlive?.(true, keepAliveMs);
      webSockets.handleUpgrade(request, socket, head, (webSocket) => start(webSocket, socket, credentials));
      return true;
    },
    open: (wire, credentials) => begin(wire, credentials).session,
    async close() {
      closing = true;
      stopWatching();
      fanOut.close();
      await Promise.all([...open].map(([webSocket, { session }]) => endSession(services.clock, webSocket, session)));
      webSockets.close();
    },
    sessions: () => open.size,
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

/** Asks the peer to close, and does it alone when the peer does not answer in time. */
function endSession(clock: Clock, webSocket: WebSocket, session: Session): Promise<void> {
  return new Promise((resolve) => {
    const cancel = clock.schedule(closeGraceMs, () => webSocket.terminate());
    webSocket.once('close', () => {
      cancel();
      resolve();
    });
    session.end(goingAway, 'the hub is stopping');
  });
}

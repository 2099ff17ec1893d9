import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import { Failure } from '#actors/errors.ts';
import type { Clock } from '#actors/ports.ts';
import type { Services } from '#src/services.ts';
import type { Admission } from '#src/security/gate.ts';
import { watchCredentials } from './credentials-watch.ts';
import type { Credited, SocketDoor, Shown } from './socket-door.ts';
import type { FanOut } from './fan-out.ts';
import { clientLimits } from './frame.ts';
import type { HeartBeatOffer } from './heart-beat.ts';
import type { Session } from './session.ts';
import { type Wire, wireOf } from './wire.ts';

export interface Realtime {
  /**
   * Takes an upgrade of a WebSocket's path, once the gate has. @returns false for every other path, whose socket it
   * leaves alone. @throws Failure `unavailable` while the hub stops
   */
  handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer, admission: Admission): boolean;
  /** Begins a session of a path over any wire, whose owner feeds it and says when it is closed. */
  open(path: SocketDoor['path'], wire: Wire, shown: Shown): Session;
  /** The paths that are WebSockets. */
  readonly paths: readonly string[];
  /** Ends every session with 1001 ("going away") and resolves when their sockets are closed. */
  close(): Promise<void>;
  /** Open sessions. */
  sessions(): number;
}

export interface RealtimeParts extends Pick<Services, 'clock' | 'onGrew'> {
  /** Closed with the rest. */
  fanOut: FanOut;
  doors: readonly SocketDoor[];
}

/** What is offered to every client: ms both ways. */
export const usualHeartBeat: HeartBeatOffer = { send: 30_000, expect: 30_000 };
const subProtocols = ['v12.stomp', 'v11.stomp', 'v10.stomp'];
const goingAway = 1001;
const closeGraceMs = 1000;
const keepAliveMs = 30_000;

/** The WebSockets of the hub: `ws` for the WebSocket, our own sessions above it (docs/api.md, "WebSocket"). */
export function createRealtime({ clock, onGrew, fanOut, doors }: RealtimeParts): Realtime {
  const byPath = new Map<string, SocketDoor>(doors.map((door) => [door.path, door]));
  const open = new Map<WebSocket, Credited>();
  const stopWatching = watchCredentials({ clock, onGrew }, () => open.values());
  let closing = false;
  const webSockets = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: clientLimits.frameBytes,
    handleProtocols: (offered) => subProtocols.find((protocol) => offered.has(protocol)) ?? false,
  });

  const start = (door: SocketDoor, webSocket: WebSocket, socket: Duplex, shown: Shown): void => {
    const credited = door.begin(wireOf(webSocket, socket), shown);
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
      const door = byPath.get(pathOf(request));
      if (door === undefined) return false;
      if (closing) throw new Failure('unavailable', 'The hub is stopping; try again.');
      const shown = shownBy(request, admission);
      // A peer that vanishes without heart-beats is found by TCP.
      (socket as Socket).setKeepAlive?.(true, keepAliveMs);
      webSockets.handleUpgrade(request, socket, head, (webSocket) => start(door, webSocket, socket, shown));
      return true;
    },
    open: (path, wire, shown) => byPath.get(path)!.begin(wire, shown).session,
    paths: [...byPath.keys()],
    async close() {
      closing = true;
      stopWatching();
      fanOut.close();
      await Promise.all([...open].map(([webSocket, { session }]) => endSession(clock, webSocket, session)));
      webSockets.close();
    },
    sessions: () => open.size,
  };
}

const pathOf = ({ url = '' }: IncomingMessage): string => url.split('?', 1)[0]!;

function shownBy({ url = '', headers }: IncomingMessage, admission: Admission): Shown {
  const { authorization, cookie, origin } = headers;
  const token = new URLSearchParams(url.split('?', 2)[1]).get('token');
  return {
    ...(authorization !== undefined && { authorization }),
    ...(cookie !== undefined && admission === 'own' && { cookie }),
    ...(origin !== undefined && { origin }),
    ...(token !== null && { token }),
  };
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

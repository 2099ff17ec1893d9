import { destinations, type Message, type MessageFrame, type TypingFrame } from './contract.ts';
import type { Environment } from './environment.ts';
import { decodeFrames, encodeFrame, type StompFrame } from './stomp.ts';

export interface SocketEvents {
  /** Whatever is written from now on arrives. */
  subscribed(): void;
  /** @param place to go on from with the next socket */
  message(message: Message, place: string): void;
  typing(isTyping: boolean): void;
  /** The last event of a socket. @param refused by the hub, for its token or the place to go on from */
  closed(refused: boolean): void;
}

export interface Socket {
  /** Tells whether the visitor types. */
  typing(isTyping: boolean): void;
  close(): void;
}

/** What a socket listens to. */
export interface SocketTarget {
  /** The hub's address, http or https. */
  host: string;
  token: string;
  /** What came behind it is told, and what no tab has acknowledged. */
  after: string;
}

/** Ms within which a socket is subscribed, or given up. */
const patience = 15_000;
const beatEvery = 20_000;
/** The close code for a token that has ended (RFC 6455: policy violation). */
const policyViolation = 1008;

/** One connection to the hub's WebSocket, from its beginning to its end. */
export function openSocket(
  { host, token, after }: SocketTarget,
  { WebSocket, clock }: Pick<Environment, 'WebSocket' | 'clock'>,
  events: SocketEvents,
): Socket {
  const webSocket = new WebSocket(`${host.replace(/^http/, 'ws')}/ws.chatplugin`, ['v12.stomp']);
  let isOver = false;
  let isSubscribed = false;
  let expectEvery = 0;
  let cancelBeat = () => {};
  let cancelWatch = clock.schedule(patience, () => end(false));

  function end(refused: boolean): void {
    if (isOver) return;
    isOver = true;
    isSubscribed = false;
    cancelWatch();
    cancelBeat();
    webSocket.close();
    events.closed(refused);
  }

  const send = (command: string, headers: Record<string, string>, body?: string): void =>
    webSocket.send(encodeFrame(command, headers, body));

  function beat(every: number): void {
    cancelBeat = clock.schedule(every, () => {
      webSocket.send('\n');
      beat(every);
    });
  }

  /** Nothing for two periods: the connection is dead, whatever the browser thinks. */
  function heard(): void {
    if (!isSubscribed) return;
    cancelWatch();
    if (expectEvery > 0) cancelWatch = clock.schedule(expectEvery * 2, () => end(false));
  }

  function subscribe({ headers }: StompFrame): void {
    const [sends = 0, wants = 0] = (headers['heart-beat'] ?? '').split(',').map(Number);
    if (wants > 0) beat(Math.max(wants, beatEvery));
    if (sends > 0) expectEvery = Math.max(sends, beatEvery);
    send('SUBSCRIBE', { id: 'typing', destination: destinations.typing });
    const asked = { ack: 'client-individual', receipt: 'subscribed', after };
    send('SUBSCRIBE', { id: 'messages', destination: destinations.messages, ...asked });
  }

  function take(frame: StompFrame): void {
    const { command, headers, body } = frame;
    if (command === 'CONNECTED') subscribe(frame);
    else if (command === 'RECEIPT') {
      isSubscribed = true;
      events.subscribed();
    } else if (command === 'ERROR') end(true);
    else if (headers['subscription'] === 'typing') events.typing((JSON.parse(body) as TypingFrame).typing);
    else {
      events.message((JSON.parse(body) as MessageFrame).message, headers['message-id'] ?? '');
      // The network may have taken what nobody got.
      send('ACK', { id: headers['ack'] ?? '' });
    }
  }

  webSocket.onopen = () =>
    send('CONNECT', {
      'accept-version': '1.2',
      host: new URL(host).hostname,
      'heart-beat': `${beatEvery},${beatEvery}`,
      Authorization: `Bearer ${token}`,
    });
  webSocket.onmessage = ({ data }) => {
    for (const frame of decodeFrames(String(data))) if (!isOver) take(frame);
    heard();
  };
  webSocket.onclose = ({ code }) => end(code === policyViolation);
  // One that a page's policy forbids fails without being closed.
  webSocket.onerror = () => end(false);
  return {
    typing: (isTyping) => {
      if (isSubscribed) send('SEND', { destination: destinations.sendTyping }, JSON.stringify({ typing: isTyping }));
    },
    close: () => end(false),
  };
}

import type { EventJson } from '#actors/representation.ts';
import { type Frame, FrameParser, type Headers, serialiseFrame } from '#src/realtime/frame.ts';
import { Connection } from './connection.ts';
import { Following, oldestIn, type Wish } from './following.ts';
import { positionOf } from './witness.ts';
import type { World } from './world.ts';

/** The hub's events and errors are larger than what clients may send. */
const limits = { frameBytes: 4 * 1024 * 1024, headers: 64, lineBytes: 64 * 1024 };
/** Wait before it connects again, in ms, at most. */
const reconnectDelay = 1_500;

const destinationOf = ({ types, conversationId }: Wish): string => {
  if (conversationId !== undefined) return `/conversations/${conversationId}`;
  return types === undefined ? '/events' : `/events/${types[0]}`;
};

/**
 * A client of the WebSocket: connects, subscribes, listens; after every break it connects again and goes on from the
 * last cursor that it knows.
 */
export class Listener {
  readonly followings: Following[];
  readonly #world: World;
  readonly #beats: number;
  #connection: Connection | null = null;
  #parser = new FrameParser(limits);
  /** A node that is behind does not know the newest cursors. */
  #wasBehind = false;

  /** @param beats heart-beats both ways, in ms; 0: none */
  constructor(world: World, name: string, wishes: readonly Wish[], beats: number) {
    this.#world = world;
    this.#beats = beats;
    this.followings = wishes.map((wish, n) => new Following(`${name} ${n}`, wish, world.witness));
  }

  connect(): void {
    const { hub, time, random } = this.#world;
    if (hub === null) {
      time.after(100, () => this.connect());
      return;
    }
    const connection = new Connection({
      ...{ time, random, hub: hub.process },
      end: { receive: (data) => this.#receive(data), closed: () => this.#closed() },
    });
    this.#connection = connection;
    this.#parser = new FrameParser(limits);
    this.#parser.version = '1.2';
    connection.serve(hub.front.realtime.open('/ws.communication', connection, {}));
    this.#say('CONNECT', { 'accept-version': '1.2', host: 'hub', 'heart-beat': `${this.#beats},${this.#beats}` });
    if (this.#beats > 0) this.#beat(connection);
  }

  /** The connection breaks. */
  cut(): void {
    this.#connection?.cut();
  }

  /** Nothing arrives for a while. */
  jam(ms: number): void {
    this.#connection?.jam(ms);
  }

  #beat(connection: Connection): void {
    this.#world.time.after(this.#beats, () => {
      if (this.#connection !== connection) return;
      connection.say(Buffer.from('\n'));
      this.#beat(connection);
    });
  }

  #closed(): void {
    const { time, random } = this.#world;
    this.#connection = null;
    time.after(random.int(reconnectDelay), () => this.connect());
  }

  #receive(data: Buffer): void {
    this.#parser.push(data, (frame) => this.#take(frame));
  }

  #take({ command, headers, body }: Frame): void {
    this.#world.trace.note('frame', `${command} ${headers.get('message-id') ?? ''}`);
    if (command === 'CONNECTED') {
      this.#wasBehind = this.#connection !== null && this.#world.isBehind(this.#connection.hub);
      for (const index of this.followings.keys()) this.#subscribe(index);
    } else if (command === 'RECEIPT') {
      this.#subscribed(this.followings[Number(headers.get('receipt-id'))]!);
    } else if (command === 'MESSAGE') {
      const event = JSON.parse(body.toString()) as EventJson;
      this.followings[Number(headers.get('subscription'))]!.take(event);
    } else if (command === 'ERROR') {
      this.#failed(headers);
    }
  }

  #subscribe(index: number): void {
    const following = this.followings[index]!;
    const after = following.cursor === null ? {} : { after: following.cursor };
    const destination = destinationOf(following.wish);
    this.#say('SUBSCRIBE', { id: String(index), destination, receipt: String(index), ...after });
  }

  /** Without a cursor it begins at the end of the feed, as it was when the hub took the subscription. */
  #subscribed(following: Following): void {
    if (following.cursor === null) following.begin(this.#world.witness.position);
  }

  #failed(headers: Headers): void {
    const code = headers.get('code') ?? '';
    if (code === 'cursor_expired') this.#expire(oldestIn(headers.get('message') ?? ''));
    else if (['overloaded', 'deadline_exceeded'].includes(code)) this.#resumeAt(headers.get('cursor'));
    else if (code !== 'invalid_cursor' || !this.#wasBehind)
      this.#world.problems.push(`a session ended with ${code}: ${headers.get('message')}`);
  }

  /** Which of several subscriptions it was is not said. */
  #expire(cursor: string): void {
    const oldest = positionOf(cursor);
    for (const following of this.followings) following.expire(oldest, cursor);
  }

  /** Of one subscription, the cursor of an error says at least as much as that of the last event. */
  #resumeAt(cursor: string | undefined): void {
    const [following, ...others] = this.followings;
    if (cursor !== undefined && others.length === 0 && following!.hasBegun) following!.cursor = cursor;
  }

  #say(command: string, headers: Record<string, string>): void {
    this.#connection?.say(serialiseFrame(command, Object.entries(headers), '', '1.2'));
  }
}

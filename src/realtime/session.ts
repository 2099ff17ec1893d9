import { Failure, type FailureCode } from '#actors/errors.ts';
import type { Cancel } from '#actors/ports.ts';
import type { FeedPosition } from '#actors/journal/feed.ts';
import { earlier } from '#actors/journal/position.ts';
import { type Caller, callerName } from '#src/security/caller.ts';
import type { Services } from '#src/services.ts';
import type { Conduct, Outlet } from './conduct.ts';
import { quote } from './destination.ts';
import { maxBacklog, type Subscription } from './fan-out.ts';
import { type Frame, FrameError, FrameParser, type StompVersion, serialiseFrame } from './frame.ts';
import { agreeHeartBeats, type HeartBeatOffer, type HeartBeats, startHeartBeats } from './heart-beat.ts';
import { messageHead } from './message.ts';
import type { Wire } from './wire.ts';

/** What a session needs from the hub. */
export interface SessionParts {
  services: Pick<Services, 'clock' | 'ids' | 'log' | 'feed' | 'unread'>;
  conduct: Conduct;
  heartBeat: HeartBeatOffer;
}

/** Close codes of RFC 6455, section 7.4.1; 1013 is "try again later" of the IANA registry. */
const closeCodes = { normal: 1000, protocol: 1002, policy: 1008, internal: 1011, later: 1013 } as const;
/** They are about who comes, or whether anybody may; not about what was sent. */
const refusals: readonly FailureCode[] = ['unauthorized', 'forbidden', 'channel_not_connected', 'feature_disabled'];
const versions = ['1.2', '1.1', '1.0'] as const;
const maxSubscriptions = 100;
const maxWaitingFrames = 64;
const connectWithinMs = 10_000;
/** A client that sends DISCONNECT closes the socket itself once it has its RECEIPT. */
const lingerMs = 2000;

/** `waiting`: for CONNECT, then for its authentication. `leaving`: after DISCONNECT. */
type Phase = 'waiting' | 'authenticating' | 'connected' | 'leaving' | 'closed';

/** One STOMP session. What an ACK means is its conduct's matter; a NACK is taken and changes nothing. */
export class Session {
  readonly #wire: Wire;
  readonly #parts: SessionParts;
  readonly #id: string;
  readonly #since: number;
  readonly #parser = new FrameParser();
  readonly #subscriptions = new Map<string, Subscription>();
  #phase: Phase = 'waiting';
  /** Known from CONNECTED on. */
  #caller: Caller | null = null;
  #waiting: Frame[] = [];
  #lastHeard: number;
  #sent = 0;
  #stopHeartBeats: Cancel | undefined;
  #cancelTimer: Cancel | undefined;

  constructor(wire: Wire, parts: SessionParts) {
    this.#wire = wire;
    this.#parts = parts;
    this.#id = parts.services.ids.uuid();
    this.#since = this.#lastHeard = parts.services.clock.now();
    this.#cancelTimer = parts.services.clock.schedule(connectWithinMs, () =>
      this.#fail(new Failure('invalid_request', `No CONNECT frame came within ${connectWithinMs / 1000} seconds.`)),
    );
  }

  /** Takes the bytes of one WebSocket message. */
  receive(chunk: string | Uint8Array): void {
    if (this.#phase === 'closed') return;
    this.#lastHeard = this.#parts.services.clock.now();
    try {
      this.#parser.push(chunk, (frame) => this.#take(frame));
    } catch (error) {
      this.#fail(error);
    }
  }

  /** Ends the session from our side without an ERROR frame. */
  end(code: number, reason: string): void {
    if (this.#phase === 'closed') return;
    this.#release(reason);
    this.#wire.close(code, reason);
  }

  /** Ends the session from our side with an ERROR frame that says why. */
  refuse(failure: Failure): void {
    this.#fail(failure);
  }

  /** The socket is closed, or about to be because of an error. */
  closed(outcome: 'left' | 'socket_error'): void {
    if (this.#phase !== 'closed') this.#release(outcome);
  }

  /** A frame in the chunk of CONNECT waits until the session is authenticated. */
  #take(frame: Frame): void {
    if (this.#phase === 'closed') return;
    if (this.#phase !== 'authenticating') this.#handle(frame);
    else if (this.#waiting.push(frame) > maxWaitingFrames) {
      this.#fail(new Failure('overloaded', 'Too many frames were sent before CONNECTED was received.'));
    }
  }

  #handle(frame: Frame): void {
    try {
      if (this.#phase === 'waiting') this.#connect(frame);
      else {
        if (this.#phase === 'connected') this.#act(frame);
        const receipt = frame.headers.get('receipt');
        if (receipt !== undefined) this.#confirm(receipt);
        if (frame.command === 'DISCONNECT') this.#leave();
      }
    } catch (error) {
      this.#fail(error, frame.headers.get('receipt'));
    }
  }

  /** A client that asks for receipts and does not read them is a slow reader too. */
  #confirm(receipt: string): void {
    if (this.#wire.backlog() > maxBacklog) throw tooSlow();
    this.#send('RECEIPT', [['receipt-id', receipt]]);
  }

  #act(frame: Frame): void {
    switch (frame.command) {
      case 'SUBSCRIBE':
        this.#subscribe(frame);
        break;
      case 'UNSUBSCRIBE':
        this.#unsubscribe(frame);
        break;
      case 'ACK':
        this.#parts.conduct.acknowledged(frame.headers);
        break;
      case 'DISCONNECT':
      case 'NACK':
        break;
      case 'SEND':
        this.#parts.conduct.take(frame);
        break;
      case 'BEGIN':
      case 'COMMIT':
      case 'ABORT':
        throw new Failure('invalid_request', 'This WebSocket has no transactions.');
      case 'CONNECT':
      case 'STOMP':
        throw new Failure('invalid_request', 'The session is connected already.');
      default:
        throw new Failure('invalid_request', `STOMP has no client frame ${quote(frame.command)}.`);
    }
  }

  #connect({ command, headers }: Frame): void {
    if (command !== 'CONNECT' && command !== 'STOMP') {
      throw new Failure('invalid_request', `The first frame must be CONNECT, not ${quote(command)}.`);
    }
    const accepted = (headers.get('accept-version') ?? '1.0').split(',').map((version) => version.trim());
    const version = versions.find((known) => accepted.includes(known));
    if (!version) {
      const spoken = versions.toReversed().join(',');
      const refusal = new Failure(
        'invalid_request',
        `The hub speaks STOMP ${spoken}; the client accepts none of them.`,
      );
      this.#fail(refusal, undefined, [['version', spoken]]);
      return;
    }
    const beats = agreeHeartBeats(this.#parts.heartBeat, version === '1.0' ? undefined : headers.get('heart-beat'));
    this.#parser.version = version;
    this.#phase = 'authenticating';
    this.#parts.conduct.authenticate(headers.get('Authorization') ?? headers.get('authorization')).then(
      (caller) => this.#authenticated(caller, version, beats),
      (error) => this.#fail(error),
    );
  }

  #authenticated(caller: Caller | null, version: StompVersion, beats: HeartBeats): void {
    if (this.#phase !== 'authenticating') return;
    if (caller === null) {
      const sentence = 'A valid credential is needed: in the Authorization header of the CONNECT frame.';
      this.#fail(new Failure('unauthorized', sentence));
      return;
    }
    this.#cancelTimer?.();
    this.#caller = caller;
    this.#phase = 'connected';
    const { send, expect } = this.#parts.heartBeat;
    const heartBeat: [string, string][] = version === '1.0' ? [] : [['heart-beat', `${send},${expect}`]];
    this.#send('CONNECTED', [['version', version], ['session', this.#id], ['server', 'parley'], ...heartBeat]);
    this.#stopHeartBeats = startHeartBeats(beats, this.#parts.services.clock, {
      beat: () => this.#wire.send('\n'),
      lastHeard: () => this.#lastHeard,
      missed: () => this.#fail(new Failure('deadline_exceeded', 'The heart-beats of the client stopped.')),
    });
    for (const frame of this.#waiting.splice(0)) this.#take(frame);
  }

  #subscribe({ headers }: Frame): void {
    const destination = headers.get('destination');
    if (destination === undefined) throw new Failure('invalid_request', 'SUBSCRIBE needs a destination header.');
    const id = headers.get('id') ?? (this.#parser.version === '1.0' ? destination : undefined);
    if (id === undefined) throw new Failure('invalid_request', 'SUBSCRIBE needs an id header.');
    if (this.#subscriptions.has(id)) {
      throw new Failure('invalid_request', `The session has a subscription with the id ${quote(id)} already.`);
    }
    if (this.#subscriptions.size >= maxSubscriptions) {
      throw new Failure('overloaded', `A session may have at most ${maxSubscriptions} subscriptions.`);
    }
    const outlet = this.#outlet(messageHead(id, destination, this.#parser.version));
    this.#subscriptions.set(id, this.#parts.conduct.subscribe(destination, headers, outlet));
  }

  #outlet(head: Buffer): Outlet {
    return {
      write: (rest, taken) => {
        this.#sent++;
        this.#wire.send(Buffer.concat([head, rest]), taken);
      },
      backlog: () => this.#wire.backlog(),
      drained: () => this.#wire.drained(),
      overflow: () => this.#fail(tooSlow()),
      broken: (error) => this.#fail(error),
    };
  }

  /** An unknown id is fine: the subscription is gone either way. */
  #unsubscribe({ headers }: Frame): void {
    const id = headers.get('id') ?? headers.get('destination');
    if (id === undefined) throw new Failure('invalid_request', 'UNSUBSCRIBE needs an id header.');
    this.#subscriptions.get(id)?.cancel();
    this.#subscriptions.delete(id);
  }

  #leave(): void {
    if (this.#phase !== 'connected') return;
    this.#phase = 'leaving';
    this.#cancelAll();
    this.#cancelTimer = this.#parts.services.clock.schedule(lingerMs, () => this.end(closeCodes.normal, 'left'));
  }

  /** ERROR, then close: STOMP knows no error that a session survives. */
  #fail(error: unknown, receipt?: string, extra: [string, string][] = []): void {
    if (this.#phase === 'closed') return;
    const failure = this.#asFailure(error);
    const resumeAt = this.#position();
    const headers: [string, string][] = [
      ['message', failure.message],
      ['code', failure.code],
      ['content-type', 'text/plain'],
      ...extra,
    ];
    if (receipt !== undefined) headers.push(['receipt-id', receipt]);
    if (resumeAt) headers.push(['cursor', this.#parts.services.feed.encodeCursor(resumeAt)]);
    this.#release(failure.code);
    this.#send('ERROR', headers, failure.message);
    this.#wire.close(closeCodeOf(failure.code), failure.code);
  }

  #asFailure(error: unknown): Failure {
    if (error instanceof Failure) return error;
    if (error instanceof FrameError) return new Failure('invalid_request', error.message);
    const unavailable = this.#parts.services.unread(error);
    if (unavailable !== null) return unavailable;
    this.#parts.services.log.error({ session: this.#id, error: String(error) }, 'realtime.session_broken');
    return new Failure('internal', 'The hub could not go on with this session; connect again.');
  }

  /** Where all subscriptions together can resume without a gap; null without any. */
  #position(): FeedPosition | null {
    const positions = [...this.#subscriptions.values()].map((subscription) => subscription.position());
    return positions.length > 0 ? positions.reduce(earlier) : null;
  }

  #send(command: string, headers: [string, string][], body = ''): void {
    this.#wire.send(serialiseFrame(command, headers, body, this.#parser.version));
  }

  #cancelAll(): void {
    for (const subscription of this.#subscriptions.values()) subscription.cancel();
    this.#subscriptions.clear();
  }

  #release(outcome: string): void {
    const { clock, log } = this.#parts.services;
    this.#phase = 'closed';
    this.#cancelTimer?.();
    this.#stopHeartBeats?.();
    this.#parts.conduct.ended();
    const subscriptions = this.#subscriptions.size;
    this.#cancelAll();
    const durationMs = clock.now() - this.#since;
    const caller = this.#caller === null ? null : callerName(this.#caller);
    const counts = { subscriptions, events: this.#sent, durationMs };
    log.info({ session: this.#id, caller, outcome, ...counts }, 'realtime.session_closed');
  }
}

const tooSlow = () =>
  new Failure('overloaded', 'The client reads too slowly; it can resume after the cursor in this frame.');

function closeCodeOf(code: FailureCode): number {
  if (code === 'overloaded') return closeCodes.later;
  if (code === 'internal' || code === 'unavailable') return closeCodes.internal;
  return refusals.includes(code) ? closeCodes.policy : closeCodes.protocol;
}

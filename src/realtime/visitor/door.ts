import type { Cancel } from '#actors/ports.ts';
import { Failure } from '#actors/errors.ts';
import { visitedSource } from '#src/connectors/registry.ts';
import { VisitReports } from '#src/ingest/visit-reports.ts';
import type { Visitor } from '#src/security/caller.ts';
import { assertOpen, assertPageMay, visitorBy } from '#src/security/visitor-door.ts';
import type { Services } from '#src/services.ts';
import type { Conduct, Outlet } from '../conduct.ts';
import { quote } from '../destination.ts';
import type { SocketDoor, Shown } from '../socket-door.ts';
import type { FanOut, Subscription } from '../fan-out.ts';
import type { Frame, Headers } from '../frame.ts';
import type { HeartBeatOffer } from '../heart-beat.ts';
import { Session } from '../session.ts';
import { Acknowledgements } from './acknowledgements.ts';
import { Collector } from './collector.ts';
import { SocketCount } from './socket-count.ts';
import { followMessages, followTyping, type FollowedMessages } from './subscriptions.ts';
import { TypingPace } from './typing-pace.ts';
import { TypingReport, typingIn } from './typing-report.ts';

export const visitorPath = '/ws.chatplugin';

/** What the door needs of the hub. */
export type VisitorServices = Pick<
  Services,
  ('clock' | 'ids' | 'log' | 'feed' | 'unread' | 'store' | 'connectors') | ('visitorTokens' | 'commandsFor' | 'typing')
>;

/** The WebSocket of visitors: each follows the one conversation that is theirs (docs/api.md, "Chat plugin"). */
export function visitorDoor(services: VisitorServices, fanOut: FanOut, heartBeat: HeartBeatOffer): SocketDoor {
  const shared = { sockets: new SocketCount(), pace: new TypingPace(services.clock) };
  return {
    path: visitorPath,
    begin(wire, shown) {
      const conduct = new VisitorConduct(services, fanOut, shared, shown);
      const session = new Session(wire, { services, conduct, heartBeat });
      return { session, refusal: () => conduct.refusal() };
    },
  };
}

/** What bounds all sockets of a visitor together. */
interface SharedBounds {
  sockets: SocketCount;
  pace: TypingPace;
}

/** What a visitor's socket can do. */
class VisitorConduct implements Conduct {
  readonly #services: VisitorServices;
  readonly #fanOut: FanOut;
  readonly #shared: SharedBounds;
  readonly #shown: Shown;
  #visitor: Visitor | null = null;
  #leave: Cancel = () => {};
  #isOver = false;
  #reports: VisitReports | null = null;
  #collector: Collector | null = null;
  #acknowledgements: Acknowledgements | null = null;
  #typing: TypingReport | null = null;

  constructor(services: VisitorServices, fanOut: FanOut, shared: SharedBounds, shown: Shown) {
    this.#services = services;
    this.#fanOut = fanOut;
    this.#shared = shared;
    this.#shown = shown;
  }

  async authenticate(authorization: string | undefined): Promise<Visitor | null> {
    const token = (authorization ?? this.#shown.authorization)?.replace(/^bearer +/i, '').trim() ?? this.#shown.token;
    this.#assertOn();
    const visitor = token === undefined ? null : await visitorBy(this.#services, 'visit', token);
    if (visitor === null || this.#isOver) return null;
    assertPageMay(this.#services, visitor.channelId, this.#shown.origin);
    this.#leave = this.#shared.sockets.enter(visitor.conversationId);
    this.#visitor = visitor;
    this.#reports = new VisitReports(this.#services, visitor);
    return visitor;
  }

  /** Why the visitor may not go on; null: they may. */
  refusal(): Failure | null {
    if (this.#visitor === null) return null;
    try {
      this.#assertMayGoOn(this.#visitor);
      return null;
    } catch (error) {
      if (error instanceof Failure) return error;
      throw error;
    }
  }

  subscribe(destination: string, headers: Headers, outlet: Outlet): Subscription {
    const visitor = this.#visitor!;
    if (destination === '/user/queue/message') {
      return followMessages(this.#followed(headers), visitor, headers.get('after'), outlet);
    }
    if (destination === '/user/queue/typing') return followTyping(this.#services, visitor, outlet);
    throw new Failure(
      'invalid_request',
      `There is no destination ${quote(destination)}; there are: /user/queue/message, /user/queue/typing.`,
    );
  }

  #followed(headers: Headers): FollowedMessages {
    this.#collector ??= new Collector(this.#reports!, this.#services.log);
    this.#acknowledgements ??= new Acknowledgements(this.#collector);
    const acknowledgements = headers.get('ack') === 'client-individual' ? this.#acknowledgements : null;
    return { services: this.#services, fanOut: this.#fanOut, collector: this.#collector, acknowledgements };
  }

  acknowledged(headers: Headers): void {
    this.#acknowledgements?.received(headers);
  }

  take({ headers, body }: Frame): void {
    const destination = headers.get('destination') ?? '';
    if (destination !== '/typing') {
      const message = `Nothing is taken at ${quote(destination)}: send to /typing, and messages by an operation.`;
      throw new Failure('invalid_request', message);
    }
    this.#typing ??= new TypingReport(this.#services, this.#reports!, this.#shared.pace);
    this.#typing.seen(typingIn(body));
  }

  ended(): void {
    this.#isOver = true;
    this.#leave();
    this.#collector?.close();
    this.#typing?.close();
  }

  /** @throws Failure `feature_disabled`, `unauthorized`, `channel_not_connected`, `forbidden` */
  #assertMayGoOn({ until, channelId }: Visitor): void {
    this.#assertOn();
    if (this.#services.clock.now() >= until) {
      throw new Failure('unauthorized', 'The token of this session is over: authenticate with a resume token.');
    }
    assertOpen(this.#services, channelId);
    assertPageMay(this.#services, channelId, this.#shown.origin);
  }

  /** @throws Failure `feature_disabled` */
  #assertOn(): void {
    if (this.#services.connectors.of({ source: visitedSource }) !== null) return;
    throw new Failure('feature_disabled', 'The source of this WebSocket is off.');
  }
}

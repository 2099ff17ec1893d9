import type { IncomingHttpHeaders } from 'node:http';
import type { z } from 'zod';
import type { ChannelJson, Json } from '#actors/representation.ts';
import type { Config } from '#src/config/config.ts';
import type { Inbound } from '#src/ingest/items.ts';
import type { AccountForm } from './accounts.ts';
import type { CallOutcome, CallTools } from './calls.ts';
import type {
  ConnectionChecker,
  ConversationStarter,
  MediaLocator,
  MessagingWindow,
  ProfileReader,
  ReadMarker,
  SendLimits,
  TypingNotifier,
} from './powers.ts';

/**
 * What speaks to one kind of source: data, and functions of what they are given. It knows neither HTTP app, nor store,
 * nor bus. What only some sources can do is an interface of its own, which a connector has or has not.
 */
export interface Connector {
  /** As its folder is called; stands in the log. */
  readonly name: string;
  /** The built-in sources it speaks to, or every source that was registered with `sources.create`. */
  readonly sources: readonly string[] | 'registered';
  /** The addresses at which its sources call the hub. */
  readonly routes: readonly InboundRoute[];
  /** How messages go out; `collected`: nobody is called, as contacts come to the hub for theirs. */
  readonly deliver: Deliver | 'collected';
  readonly starter?: ConversationStarter;
  readonly checker?: ConnectionChecker;
  readonly profiles?: ProfileReader;
  readonly readMarker?: ReadMarker;
  readonly typing?: TypingNotifier;
  readonly media?: MediaLocator;
  readonly limits?: SendLimits;
  /** By source. */
  readonly windows?: Readonly<Record<string, MessagingWindow>>;
}

/** Hands one message to its source. At most one message arrives, whatever it returns. Must not reject. */
export type Deliver = (delivery: Delivery, tools: CallTools) => Promise<CallOutcome>;

/** Makes a connector for a hub: how the registry lists it. Null: the configuration has nothing for it. */
export interface ConnectorFactory {
  (config: Config): Connector | null;
  /** The sources whose accounts people connect by the API, with what each takes. */
  readonly accounts?: readonly AccountForm[];
}

/** The power to take what an application pushes to `/sources.webhook` with its source token. */
export interface PushReceiver<Body> {
  /** The body, as the API documents it. */
  request: z.ZodType<Body>;
  example: Body | object;
  /** Pure. */
  parse(source: string, body: Body): Inbound;
}

/** The power to take what a person writes who has come to the hub without being a source. */
export interface VisitReceiver<Body> {
  /** The body, as the API documents it. */
  request: z.ZodType<Body>;
  example: Body | object;
  /** Pure. @param id of the message, where the body names none @param now epoch ms */
  parse(visit: Visit, body: Body, id: string, now: number): Inbound;
}

/** Where a visitor writes, in the words of the source. */
export interface Visit {
  sourceChannelId: string;
  /** The visitor, and with it the one conversation that the visitor has. */
  sourceConversationId: string;
}

/** A message to hand over, with all that the hub knows about its way. */
export interface Delivery {
  /** `sentAt` in epoch ms; `content` exactly as it was given. */
  message: { id: string; content: Json; sentAt: number };
  conversation: { id: string; sourceConversationId: string; createdAt: string };
  channel: ChannelJson;
  /** The source has said something in this conversation, or taken a message, so it knows it. */
  knownToSource: boolean;
  /** The registered source of the channel; null for built-in sources, and for one that was deleted. */
  registered: RegisteredSource | null;
  /** What its account was connected with; null: nothing. A secret. */
  token: string | null;
}

/** What the hub keeps about a source that was registered. */
export interface RegisteredSource {
  sourceId: string;
  /** The source's own URL; null: it takes no messages. */
  actionEndpoint: string | null;
  /** Its token, the key of signatures. A secret. */
  token: string;
}

/** A request of a platform, before anyone has read it. */
export interface RawRequest {
  method: string;
  /** As the platform called it: the hub's public address, path and query. Some platforms sign it. */
  url: URL;
  headers: IncomingHttpHeaders;
  body: Uint8Array;
}

/** One address at which a platform calls, as data: the HTTP API mounts it. */
export interface InboundRoute {
  method: 'GET' | 'POST';
  /** No operation has it. */
  path: `/${string}`;
  /** Bytes of a body at most. */
  bodyLimit: number;
  /** Whether the request is the platform's: over the raw bytes, before anything parses them, in constant time. */
  verify(request: RawRequest): boolean;
  /**
   * The single updates of a genuine request, each as text in the shape in which the platform would send it alone: so it
   * is kept, shown and read, now or later. A body of a shape that nobody knows is one update. Pure; must not throw.
   */
  split(request: RawRequest): readonly string[];
  /** What an update says; null: it has a shape that the connector does not know. Pure; must not throw. */
  read(update: string): Inbound | null;
  /** What the platform wants to read, with status 200, once everything is durable; without it nothing. */
  answer?(request: RawRequest): { contentType: string; body: string };
}

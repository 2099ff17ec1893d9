import type { ChannelJson, Json } from '#actors/representation.ts';
import type { Connector, InboundRoute, RawRequest, RegisteredSource } from '#src/connectors/connector.ts';
import type { Inbound } from '#src/ingest/items.ts';

/** What the suite must know of a connector: one of its channels, and what comes in. */
export interface SourceSpecimen {
  factory: () => Connector;
  channel: ChannelJson;
  /** Texts that leave the hub with calls only: tokens, keys. */
  secrets: readonly string[];
  /** What came in, read by the connector, and what the hub is to make of it. */
  readings: readonly { title: string; read(): readonly Inbound[] | null; inbound: readonly Inbound[] }[];
  /** A genuine request for each route; every byte of its body is signed. */
  genuine: readonly RawRequest[];
}

/** The same of a connector that calls its source, and how that answers. */
export interface Specimen extends SourceSpecimen {
  registered: RegisteredSource | null;
  /** What its account was connected with. */
  token: string | null;
  /** How the source answers a check, where deliveries need what comes of it, such as an access token. */
  letIn?: { status: number; body: string };
  /** A message as its source takes it, and the text in the body of a call that is the whole of it. */
  content: Json;
  onTheWire: string;
  /** How the source answers a call that it takes, and its own id of the message in that answer. */
  accepted: { status: number; body: string; sourceMessageId: string };
  /** How it answers one that it refuses, and the text in that answer. */
  refused: { status: number; body: string; error: string };
}

/** One thing that the hub relies on, whatever the source is. Throws where a connector does not do it. */
export interface Check<S extends SourceSpecimen = SourceSpecimen> {
  title: string;
  run(connector: Connector, specimen: S): void | Promise<void>;
}

/** Bodies that no source has documented. */
export const oddBodies = ['', '{', 'null', '[]', '""', '7', '<html>', '{"a":', '\ud800', '{"metadata":[],"error":{}}'];

/** What a route reads in a request: of each of its updates. Null: it understands none. */
export function inboundIn(route: InboundRoute, request: RawRequest): Inbound[] | null {
  const read = route.split(request).map((update) => route.read(update));
  const said = read.filter((inbound) => inbound !== null);
  return said.length === 0 && read.length > 0 ? null : said;
}

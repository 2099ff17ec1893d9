import type { ApiAnswer, ApiCall, Fields } from './wire.ts';

/**
 * A stand-in for a platform: its API, as the hub calls it, and its webhooks. It knows the platform's documentation and
 * nothing of the hub's connectors, so that a mistake of one is not made by the other too.
 */
export interface PlatformDouble {
  readonly introduction: Introduction;
  /** Answers a call as the platform does, with its own words for what is wrong. */
  answer(call: ApiCall): Promise<PlatformAnswer>;
  /** Whether a call sends a message: what the flags for failures are about. */
  isSend(call: ApiCall): boolean;
  /** How the platform refuses a message. */
  refusal(): ApiAnswer;
  /** How the platform says that there were too many. */
  throttling(): ApiAnswer;
  /** A contact writes. @throws Impossible */
  written(message: WrittenMessage): Promise<PlatformWebhook>;
  /** What the platform reports of a message that it took; null: it does not report that. @throws Impossible */
  report(message: TakenMessage, report: string): Promise<PlatformWebhook | null>;
  /** Any body of the platform, signed. @throws Impossible */
  webhook(body: Fields): Promise<PlatformWebhook>;
  /** Asks whether the hub's address is the hub's, where the platform does that. */
  readonly handshake: Handshake | null;
}

/** What whoever runs the double needs to know of it. */
export interface Introduction {
  /** Values below `components.sources.<component>` of the hub's configuration. */
  component: string;
  configuration: Record<string, string>;
  /** The operation that connects the first account, and its body. */
  connect: { operation: string; body: Record<string, string> };
  /** Who is written to, and who writes, where nothing else is said. */
  account: string;
  contact: string;
  /** A message as the hub is to send it, with `<text>` where its text is. */
  reply: Fields;
}

/** What a contact writes, in the words of the control API. */
export interface WrittenMessage {
  from: string;
  to: string;
  text: string;
  name?: string | undefined;
  /** Fields of the platform's own message, in the place of the text. */
  content?: Fields | undefined;
  /** Epoch ms. */
  sentAt: number;
}

export interface PlatformAnswer extends ApiAnswer {
  /** What the platform took with the call: it is listed, and reported of after the answer. */
  took?: TakenMessage;
}

/** A message that the hub sent and the platform took. */
export interface TakenMessage {
  id: string;
  account: string;
  contact: string;
  /** As the hub wrote it. */
  content: Fields;
  /** Epoch ms. */
  at: number;
  /** What the platform reports of it by itself, one after the other. */
  reports: readonly string[];
}

/** A request of the platform to the hub. */
export interface PlatformWebhook {
  url: string;
  headers: Record<string, string>;
  body: string;
  /** What the message is called at the platform, where it is about one. */
  id?: string;
  /** Those of one conversation go out one after the other. */
  conversation: string;
  /** `until-taken`: it is repeated until the hub answers 2xx; `unreached`: once, when the hub was not reached. */
  repeated: 'until-taken' | 'unreached';
}

/** What a platform asks when its webhook is set up. */
export interface Handshake {
  method: string;
  url: string;
  body?: string;
  headers?: Record<string, string>;
  /** What the hub is to answer. */
  wanted: string;
}

/** What a double works with. */
export interface DoubleTools {
  /** Its own address, without a slash at its end. */
  url: string;
  hub: HubAddress;
  /** Epoch ms. */
  now(): number;
}

/** Where a double calls the hub. Both without a slash at the end. */
export interface HubAddress {
  /** Where requests go. */
  url: string;
  /** What the platform was told: what some platforms sign. */
  publicUrl: string;
}

/** What the platform would not do. Its text is for whoever asked. */
export class Impossible extends Error {
  override readonly name = 'Impossible';
}

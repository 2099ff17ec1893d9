import type { EventJson, MessageJson } from '#actors/representation.ts';
import { shownToVisitor } from '#src/security/visitor-view.ts';
import { headerText, type StompVersion } from './frame.ts';

/**
 * The part of a MESSAGE frame that is the same for every subscription, from its `message-id` to the NUL.
 * @param id without what a header would have to escape: a cursor is base64url
 */
export function messageRest(id: string, body: string): Buffer {
  return Buffer.from(`message-id:${id}\ncontent-length:${Buffer.byteLength(body)}\n\n${body}\0`);
}

/** One event on its way to subscriptions. What they write of it is made once for all that write the same. */
export class EventBytes {
  readonly event: EventJson;
  #rest: Buffer | null = null;
  #forVisitor: Buffer | null = null;

  constructor(event: EventJson) {
    this.event = event;
  }

  /** With the whole event as the body. */
  get rest(): Buffer {
    this.#rest ??= messageRest(this.event.cursor, JSON.stringify(this.event));
    return this.#rest;
  }

  /** Of an event about a Message, as the visitor is shown it: its payload alone as the body. */
  get forVisitor(): Buffer {
    this.#forVisitor ??= messageRest(this.event.cursor, JSON.stringify(this.#shownToVisitor()));
    return this.#forVisitor;
  }

  #shownToVisitor(): object {
    const { message, conversation_id, channel_id } = this.event.payload;
    return { conversation_id, channel_id, message: shownToVisitor(message as unknown as MessageJson) };
  }
}

/** The part of a MESSAGE frame that is the same for every event of a subscription. */
export function messageHead(subscription: string, destination: string, version: StompVersion): Buffer {
  const headers = [
    ['subscription', subscription],
    ['destination', destination],
    ['content-type', 'application/json'],
  ] as const;
  return Buffer.from(headerText('MESSAGE', headers, version));
}

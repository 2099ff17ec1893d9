import type { EventJson } from '#actors/representation.ts';
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
  #payload: Buffer | null = null;

  constructor(event: EventJson) {
    this.event = event;
  }

  /** With the whole event as the body. */
  get rest(): Buffer {
    this.#rest ??= messageRest(this.event.cursor, JSON.stringify(this.event));
    return this.#rest;
  }

  /** With its payload alone as the body. */
  get payload(): Buffer {
    this.#payload ??= messageRest(this.event.cursor, JSON.stringify(this.event.payload));
    return this.#payload;
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

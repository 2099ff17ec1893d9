import type { EventJson } from '#actors/representation.ts';
import { headerText, type StompVersion } from './frame.ts';

/** One event as the part of its MESSAGE frame that is the same for every subscription. */
export interface EventBytes {
  cursor: string;
  /** From the `message-id` header to the NUL. */
  rest: Buffer;
}

/** Serialises an event. Its cursor is base64url, which needs no escapes in any version. */
export function eventBytes(event: EventJson): EventBytes {
  const body = JSON.stringify(event);
  const headers = `message-id:${event.cursor}\ncontent-length:${Buffer.byteLength(body)}\n\n`;
  return { cursor: event.cursor, rest: Buffer.from(`${headers}${body}\0`) };
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

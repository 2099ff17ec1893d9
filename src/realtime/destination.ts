import { type EventType, eventTypes } from '#actors/representation.ts';
import { Failure } from '#actors/errors.ts';
import { isUuid } from '#actors/uuid.ts';
import type { Selection } from './fan-out.ts';

const isEventType = (text: string): text is EventType => (eventTypes as readonly string[]).includes(text);

/**
 * What a destination of `/ws.communication` selects: `/events`, `/events/<type>`, `/conversations/<id>`.
 * @throws Failure `invalid_request` with a sentence that says what exists
 */
export function parseDestination(destination: string): Selection {
  if (destination === '/events') return {};
  const [, kind, name, rest] = /^\/(events|conversations)\/([^/]+)(.*)$/.exec(destination) ?? [];
  if (kind === 'events' && name && !rest) {
    if (isEventType(name)) return { type: name };
    throw new Failure('invalid_request', `There is no event type ${quote(name)}; there are: ${eventTypes.join(', ')}.`);
  }
  if (kind === 'conversations' && name && !rest) {
    if (isUuid(name.toLowerCase())) return { conversationId: name.toLowerCase() };
    throw new Failure('invalid_request', `${quote(name)} is not the id of a conversation: ids are UUIDs.`);
  }
  throw new Failure(
    'invalid_request',
    `There is no destination ${quote(destination)}; there are: /events, /events/<type>, /conversations/<id>.`,
  );
}

/** Text of a client in a sentence: in quotes and not longer than a name. */
export const quote = (text: string): string => JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text);

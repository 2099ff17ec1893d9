import type { FeedPosition } from '#actors/journal/feed.ts';
import { earlier } from '#actors/journal/position.ts';
import type { MessageJson } from '#actors/representation.ts';
import { keysPerShard } from '#actors/store/table.ts';
import type { VisitClaims } from '#src/security/visitor-token.ts';
import type { Services } from '#src/services.ts';
import type { Outlet } from '../conduct.ts';
import type { FanOut, Subscription } from '../fan-out.ts';
import { type EventBytes, messageRest } from '../message.ts';
import type { Acknowledgements } from './acknowledgements.ts';
import type { Collector } from './collector.ts';

export interface FollowedMessages {
  services: Pick<Services, 'feed' | 'store'>;
  fanOut: FanOut;
  collector: Collector;
  /** Null: what the network has taken is with the visitor. */
  acknowledgements: Acknowledgements | null;
}

/**
 * Sends the Messages of a visitor's conversation: those that the visitor may not have yet, then each as it comes. What
 * the socket has taken of ours is collected.
 * @param cursor of the last frame that the client has; undefined: it has what was collected
 * @throws Failure `invalid_cursor`, `cursor_expired`
 */
export function followMessages(
  { services, fanOut, collector, acknowledgements }: FollowedMessages,
  { conversationId }: VisitClaims,
  cursor: string | undefined,
  outlet: Outlet,
): Subscription {
  // Before it is asked what is pending: what comes in between is behind it.
  const end = services.feed.end();
  const after = cursor ? services.feed.decodeCursor(cursor) : end;
  const oldest = services.store.messages.oldestPending(conversationId);
  const from = oldest === null ? after : earlier(after, positionBefore(oldest, end));
  return fanOut.subscribe({ conversationId }, from, {
    ...outlet,
    send: (event) => {
      const news = newsIn(event, services);
      if (news === null) return;
      const { pending } = news;
      if (acknowledgements !== null) outlet.write(acknowledgements.frameOf(event, pending));
      else outlet.write(event.forVisitor, pending === null ? undefined : () => collector.taken(pending));
    },
  });
}

/**
 * What an event is to the visitor: a Message, which is to be collected where it is one of ours. Null: nothing; what
 * failed has nobody sent, until it is sent again, and then it is not new.
 */
function newsIn({ event }: EventBytes, { store }: Pick<Services, 'store'>): { pending: string | null } | null {
  if (event.type !== 'message.created' && event.type !== 'message.updated') return null;
  const { id, from_contact, state } = event.payload['message'] as unknown as MessageJson;
  if (!from_contact && state === 'pending') {
    return store.messages.find(id)?.message.state === 'failed' ? null : { pending: id };
  }
  return event.type === 'message.created' ? { pending: null } : null;
}

/** The position before a turn, and at the end in every other shard. */
function positionBefore(turn: number, end: FeedPosition): FeedPosition {
  const shard = Math.floor(turn / keysPerShard);
  return end.with(shard, turn - shard * keysPerShard - 1);
}

/** Sends whether an agent types, as long as it is of now. */
export function followTyping(
  { typing, feed, ids }: Pick<Services, 'typing' | 'feed' | 'ids'>,
  { conversationId, channelId }: VisitClaims,
  outlet: Outlet,
): Subscription {
  const cancel = typing.on(conversationId, (isTyping) => {
    // A reader who is behind learns nothing from it.
    if (outlet.backlog() > 0) return;
    const body = { typing: isTyping, conversation_id: conversationId, channel_id: channelId };
    outlet.write(messageRest(ids.uuid(), JSON.stringify(body)));
  });
  return { position: () => feed.end(), cancel };
}

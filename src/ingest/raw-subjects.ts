import type { MessageReader } from '#actors/conversation/message-reader.ts';
import { channelId, conversationId, messageId } from '#actors/ids.ts';
import type { Inbound } from './items.ts';

/** What updates are found by: their conversations, their messages, and what they name by the source's own id. */
export const conversationSubject = (id: string): string => `conversation ${id}`;
export const messageSubject = (id: string): string => `message ${id}`;
export const sourceSubject = (source: string, id: string): string => `at ${source} ${id}`;

/**
 * The subjects of what was read in an update; none where nothing was. What names a message alone is found by its
 * conversation, too: an erasure of that takes it along.
 */
export function subjectsOf(inbound: Inbound | null, messages: Pick<MessageReader, 'findBySourceId'>): string[] {
  if (inbound === null) return [];
  const { source, messages: written, metadata, receipts, signals = [] } = inbound;
  const idOf = (channel: string, conversation: string) => conversationId(channelId(source, channel), conversation);
  const places = [
    ...written.map(({ channel, conversation }) => ({ channel, conversation })),
    ...metadata.flatMap(({ channel, conversation, namespace, sourceId }) => {
      const named = namespace === 'conversation' ? sourceId : conversation;
      return channel !== undefined && named !== undefined ? [{ channel, conversation: named }] : [];
    }),
    ...signals.map(({ channel, conversation }) => ({ channel, conversation })),
  ];
  const named = [
    ...metadata.filter(({ namespace }) => namespace === 'message').map(({ sourceId }) => sourceId),
    ...receipts.map(({ message }) => message),
  ];
  const subjects = [
    ...places.map(({ channel, conversation }) => conversationSubject(idOf(channel, conversation))),
    ...written.map((item) => messageSubject(messageId(idOf(item.channel, item.conversation), source, item.id))),
    ...named.map((id) => sourceSubject(source, id)),
    ...named.flatMap((id) => messages.findBySourceId(source, id).map((at) => conversationSubject(at.conversationId))),
    ...written.map(({ id }) => sourceSubject(source, id)),
  ];
  return [...new Set(subjects)];
}

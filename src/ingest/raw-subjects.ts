import { channelId, conversationId, messageId } from '#actors/ids.ts';
import type { Inbound } from './items.ts';

/** What updates are found by: their conversations, their messages, and what they name by the source's own id. */
export const conversationSubject = (id: string): string => `conversation ${id}`;
export const messageSubject = (id: string): string => `message ${id}`;
export const sourceSubject = (source: string, id: string): string => `at ${source} ${id}`;

/** The subjects of what was read in an update; none where nothing was. */
export function subjectsOf(inbound: Inbound | null): string[] {
  if (inbound === null) return [];
  const { source, messages, metadata, receipts, signals = [] } = inbound;
  const idOf = (channel: string, conversation: string) => conversationId(channelId(source, channel), conversation);
  const places = [
    ...messages.map(({ channel, conversation }) => ({ channel, conversation })),
    ...metadata.flatMap(({ channel, conversation, namespace, sourceId }) => {
      const named = namespace === 'conversation' ? sourceId : conversation;
      return channel !== undefined && named !== undefined ? [{ channel, conversation: named }] : [];
    }),
    ...signals.map(({ channel, conversation }) => ({ channel, conversation })),
  ];
  const subjects = [
    ...places.map(({ channel, conversation }) => conversationSubject(idOf(channel, conversation))),
    ...messages.map((item) => messageSubject(messageId(idOf(item.channel, item.conversation), source, item.id))),
    ...metadata
      .filter(({ namespace }) => namespace === 'message')
      .map(({ sourceId }) => sourceSubject(source, sourceId)),
    ...receipts.map(({ message }) => sourceSubject(source, message)),
    ...messages.map(({ id }) => sourceSubject(source, id)),
  ];
  return [...new Set(subjects)];
}

import type { RequestTemplate } from './load/options.ts';

/** The channel that all messages come in on. */
export const benchChannel = 'bench-line';
const nameDigits = 8;
const text = 'Good morning, is the blue lamp back in stock? I could collect it this afternoon.';

/** Names of `count` conversations at the source, all of one length. */
export const conversationNames = (count: number): string[] =>
  Array.from({ length: count }, (_, i) => `contact-${String(i).padStart(nameDigits, '0')}`);

/** Requests to `/sources.webhook`: `messages` new messages each, for conversations of the list. */
export function ingestRequest(options: {
  token: string;
  messages: number;
  conversations: string[];
  pick: RequestTemplate['pick'];
}): RequestTemplate {
  const message = {
    source_message_id: 'message-{n}',
    source_conversation_id: '{value}',
    source_channel_id: benchChannel,
    source_sender_id: '{value}',
    content: { text },
    from_contact: true,
  };
  return {
    path: '/sources.webhook',
    headers: { Authorization: `Bearer ${options.token}` },
    body: {
      head: '{"messages":[',
      item: `${JSON.stringify(message).slice(0, -1)},"sent_at":{now}}`,
      separator: ',',
      tail: ']}',
    },
    itemsPerRequest: options.messages,
    values: options.conversations,
    pick: options.pick,
  };
}

/** Requests to `/messages.list` for the first page of conversations of the list (ids of the hub). */
export function listRequest(conversations: string[], pageSize: number): RequestTemplate {
  return {
    path: '/messages.list',
    headers: {},
    body: { head: '', item: `{"conversation_id":"{value}","page_size":${pageSize}}`, separator: '', tail: '' },
    itemsPerRequest: 1,
    values: conversations,
    pick: 'random',
  };
}

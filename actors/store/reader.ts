import type { DeadLetterReader } from '../dead-letter/reader.ts';
import type { ChannelJson, ConversationJson, MessageJson, SourceJson } from '../representation.ts';
import type { WebhookReader } from '../webhook-subscription/reader.ts';

/** A place in an ordered list: the values of the order's columns of one item. */
export type PageKey = readonly number[];

export interface PageQuery {
  /** Items at most. */
  limit: number;
  /** Null: the first page. `after` goes on behind the key, `before` ends in front of it. */
  from: { key: PageKey; direction: 'after' | 'before' } | null;
}

export interface Page<T> {
  items: T[];
  /** Key of the first item when something stands before it, else null. */
  before: PageKey | null;
  /** Key of the last item when something follows it, else null. */
  after: PageKey | null;
  /** Items in the whole (filtered) list. */
  total: number;
}

/** A condition in SQL over `conversation c` joined with `channel ch`; `parameters` in the order of its question marks. */
export interface ConversationFilter {
  where: string;
  parameters: (string | number | Buffer)[];
}

export interface ChannelReader {
  find(id: string): ChannelJson | null;
  list(filter: { source?: string; sourceId?: string; includeDisconnected?: boolean }): ChannelJson[];
  /** `metadata.token` of a source-API channel: only for answers to that source and calls to it. */
  token(id: string): string | null;
}

export interface ConversationReader {
  find(id: string): ConversationJson | null;
  /** Last message first; key `[last message time, conversation key]`. */
  page(query: PageQuery, filter: ConversationFilter | null): Page<ConversationJson>;
  /** Conversations of a source by the source's own id of the conversation. */
  findBySourceId(source: string, sourceConversationId: string): string[];
}

export interface MessageReader {
  find(id: string): { message: MessageJson; conversationId: string; channelId: string } | null;
  /** Oldest first, or newest first with `desc`; key `[sent at, message key]`. */
  page(conversationId: string, query: PageQuery, order: 'asc' | 'desc'): Page<MessageJson>;
  /** Messages of a source by the source's own id of the message. */
  findBySourceId(source: string, sourceMessageId: string): { messageId: string; conversationId: string }[];
}

export interface SourceReader {
  /** Null for unknown and deleted sources. `issuedAt`: epoch seconds, the `iat` of its one valid token. */
  find(sourceId: string): { source: SourceJson; issuedAt: number } | null;
  list(): SourceJson[];
}

/** Everything that can be read outside an actor. A value read here may be older than the newest commit, never torn. */
export interface StoreReader {
  channels: ChannelReader;
  conversations: ConversationReader;
  messages: MessageReader;
  sources: SourceReader;
  deadLetters: DeadLetterReader;
  webhooks: WebhookReader;
}

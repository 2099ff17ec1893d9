import { messageReader } from '../conversation/message-reader.ts';
import type { MessageJson } from '../representation.ts';
import type { Connection } from '../store/database.ts';
import { mostPageBytes, type Page, type PageQuery } from '../store/page.ts';
import { uuidFromBytes, uuidToBytes } from '../uuid.ts';

/** What is asked of the messages of a contact. */
export interface RecentQuery {
  /** Messages of each conversation at most. */
  limit: number;
  /** Null: of every source. */
  sources: readonly string[] | null;
  /** Where to go on, by conversation; the others begin with the newest message. */
  queries: Readonly<Record<string, PageQuery>>;
}

/** A page of one conversation. */
export interface RecentMessages {
  conversation: string;
  source: string;
  page: Page<MessageJson>;
}

export interface RecentMessageReader {
  /**
   * The newest messages of each conversation of a contact, newest first, at most 1 MiB of them together: of conversations
   * beyond that the page is empty, and its key goes on where it was asked for. Null: there is no such contact.
   */
  ofContact(id: string, query: RecentQuery): RecentMessages[] | null;
}

/** Conversations in an answer: those in which something was said last. */
const mostConversations = 1_000;
/** Behind every message, newest first: a walk from there begins with the newest. */
const newestEdge = [Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER];

export function recentMessageReader(db: Connection): RecentMessageReader {
  const keyOf = db.prepare('SELECT key FROM contact WHERE id = ? AND sort IS NOT NULL').pluck();
  const conversations = db.prepare(
    `SELECT c.id, o.source, c.messages FROM contact_conversation o JOIN conversation c ON c.id = o.conversation
     WHERE o.contact = @contact AND (@sources IS NULL OR o.source IN (SELECT value FROM json_each(@sources)))
     ORDER BY c.last_message_at DESC, c.key DESC LIMIT ${mostConversations}`,
  );
  const messages = messageReader(db);
  return {
    ofContact(id, { limit, sources, queries }) {
      const contact = keyOf.get(uuidToBytes(id));
      if (contact === undefined) return null;
      let left = mostPageBytes;
      const rows = conversations.all({ contact, sources: sources && JSON.stringify(sources) });
      return (rows as { id: Uint8Array; source: string; messages: number }[]).map((row): RecentMessages => {
        const conversation = uuidFromBytes(row.id);
        const query = { ...(queries[conversation] ?? { limit, from: null }), bytes: left };
        const page = left > 0 ? messages.page(conversation, query, 'desc') : untouched(query, row.messages);
        for (const { text } of page.items) left -= Buffer.byteLength(text);
        return { conversation, source: row.source, page };
      });
    },
  };
}

/** A page that leaves everything to the next one. */
function untouched({ from }: PageQuery, total: number): Page<MessageJson> {
  const key = from?.key ?? (total > 0 ? newestEdge : null);
  const isBackwards = from?.direction === 'before';
  return { items: [], before: isBackwards ? key : null, after: isBackwards ? null : key, total };
}

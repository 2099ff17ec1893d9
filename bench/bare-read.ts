import Database from 'better-sqlite3';
import { uuidToBytes } from '#actors/uuid.ts';

/** As the hub's readers (actors/store/database.ts). */
const mappedBytes = 1024 * 1024 * 1024;

/** First pages of messages, read from the hub's file with nothing around it. */
export interface MessagePages {
  /** The oldest messages of a conversation: the rows that `messages.list` answers with. */
  first(conversationId: string, limit: number): unknown[];
  close(): void;
}

/** @throws Error when the file does not exist */
export function openMessagePages(file: string): MessagePages {
  const db = new Database(file, { readonly: true, fileMustExist: true });
  db.pragma(`mmap_size = ${mappedBytes}`);
  const rows = db.prepare(
    `SELECT hex(id) AS id, sent_at, from_contact, sender, content, metadata, state FROM message
     WHERE conversation = (SELECT key FROM conversation WHERE id = ?) ORDER BY sent_at, key LIMIT ?`,
  );
  return {
    first: (conversationId, limit) => rows.all(uuidToBytes(conversationId), limit),
    close: () => db.close(),
  };
}

import type { Connection } from '../../store/database.ts';
import { keysPerShard } from '../../store/table.ts';
import { textOf } from './contents.ts';
import { docsPerConversation } from './file.ts';

/** Messages that one transaction reads. */
const atOnce = 250;

interface ReadMessage {
  key: number;
  id: Uint8Array;
  conversation: number;
  content: string;
}

interface Doc {
  number: number;
  key: number;
  text: string;
}

/** Brings the words of messages into the index, in the order in which they came. */
export class MessagesIndex {
  readonly #db: Connection;
  readonly #index: Connection;
  /** Something was forgotten whose words are still in the file. */
  #hasForgotten = false;

  constructor(db: Connection, index: Connection) {
    this.#db = db;
    this.#index = index;
  }

  /** Whether what was read is still what the file holds, which may be an older one by now. */
  get fits(): boolean {
    const read = this.#index.prepare('SELECT message, id FROM read').all() as { message: number; id: Uint8Array }[];
    const there = this.#db.prepare('SELECT id FROM message WHERE key = ?').pluck();
    const next = this.#db.prepare('SELECT next_key FROM shard WHERE shard = ?').pluck();
    return read.every(({ message, id }) => {
      const shard = Math.floor(message / keysPerShard);
      const found = there.get(message) as Uint8Array | undefined;
      // One that was erased fits as long as the shard has come so far.
      return found === undefined
        ? ((next.get(shard) as number | undefined) ?? 0) > message % keysPerShard
        : Buffer.from(id).equals(found);
    });
  }

  /** How many keys there are that were not looked at yet, and how many in all: how far the index is. */
  progress(): { left: number; of: number } {
    const rows = this.#shards();
    const of = rows.reduce((sum, { next_key }) => sum + next_key, 0);
    const left = rows.reduce(
      (sum, { shard, next_key }) => sum + next_key - 1 - (this.#readTo(shard) % keysPerShard),
      0,
    );
    return { left: Math.max(0, left), of };
  }

  /** For each shard the key that it gives out next. */
  ends(): ReadonlyMap<number, number> {
    return new Map(this.#shards().map(({ shard, next_key }) => [shard, shard * keysPerShard + next_key]));
  }

  /** Reads the next ones, as far as the ends. @returns whether there may be more */
  advance(ends: ReadonlyMap<number, number>): boolean {
    const after = this.#db.prepare(
      `SELECT key, id, conversation, content FROM message WHERE key > ? AND key < ? ORDER BY key LIMIT ${atOnce}`,
    );
    let isMore = false;
    for (const [shard, end] of ends) {
      const rows = after.all(this.#readTo(shard), end) as ReadMessage[];
      if (rows.length > 0) this.#index.transaction(() => this.#take(shard, rows))();
      isMore ||= rows.length === atOnce;
    }
    return isMore;
  }

  /** Finds messages of a conversation that are older than a key no longer. Inside a transaction. */
  forget(ordinal: number, before: number): void {
    const [first, end] = [ordinal * docsPerConversation, (ordinal + 1) * docsPerConversation];
    const gone = this.#index
      .prepare('DELETE FROM message WHERE doc >= ? AND doc < ? AND key < ? RETURNING doc')
      .pluck()
      .all(first, end, before);
    const remove = this.#index.prepare('DELETE FROM words WHERE rowid = ?');
    for (const doc of gone) remove.run(doc);
    this.#hasForgotten ||= gone.length > 0;
  }

  /** No word that was forgotten stays in the file. */
  purge(): void {
    if (!this.#hasForgotten) return;
    this.#hasForgotten = false;
    // What was deleted stays in the index's segments until they are written anew, and in the log until it is moved.
    this.#index.exec("INSERT INTO words (words) VALUES ('optimize')");
    this.#index.pragma('wal_checkpoint(TRUNCATE)');
  }

  #shards(): { shard: number; next_key: number }[] {
    return this.#db.prepare('SELECT shard, next_key FROM shard').all() as { shard: number; next_key: number }[];
  }

  #readTo(shard: number): number {
    const read = this.#index.prepare('SELECT message FROM read WHERE shard = ?').pluck().get(shard);
    return (read as number | undefined) ?? shard * keysPerShard;
  }

  #take(shard: number, rows: readonly ReadMessage[]): void {
    const word = this.#index.prepare('INSERT INTO words (rowid, text) VALUES (?, ?)');
    const message = this.#index.prepare('INSERT INTO message (key, doc) VALUES (?, ?)');
    for (const { number, key, text } of this.#docsOf(rows)) {
      word.run(number, text);
      message.run(key, number);
    }
    const { key, id } = rows.at(-1)!;
    this.#index.prepare('INSERT OR REPLACE INTO read (shard, message, id) VALUES (?, ?, ?)').run(shard, key, id);
  }

  /** In the order of their numbers: words are written once where documents come in order. */
  #docsOf(rows: readonly ReadMessage[]): Doc[] {
    const next = this.#index.prepare(
      'UPDATE conversation SET docs = docs + 1 WHERE key = ? AND docs < ? AND erased <= ? RETURNING ordinal, docs',
    );
    const docs: Doc[] = [];
    for (const { key, conversation, content } of rows) {
      const text = textOf(content);
      const numbered = text === '' ? undefined : next.get(conversation, docsPerConversation - 1, key);
      if (numbered === undefined) continue;
      const { ordinal, docs: nth } = numbered as { ordinal: number; docs: number };
      docs.push({ number: ordinal * docsPerConversation + nth, key, text });
    }
    return docs.sort((a, b) => a.number - b.number);
  }
}

import { Failure } from '../../errors.ts';
import { type Connection, discardDerived, type Statement } from '../../store/database.ts';
import { type TagReader, tagReader } from '../../tag/reader.ts';
import type { ConversationColumns } from './columns.ts';
import { ConversationsIndex } from './conversations.ts';
import { isDamage, isSound, openSearchFile } from './file.ts';
import { MessagesIndex } from './messages.ts';

/** How far an index is: what is left of all that there is to look at. */
export interface SearchProgress {
  left: number;
  of: number;
}

/** An open file, and what is known by it. */
interface Parts {
  index: Connection;
  messages: MessagesIndex;
  conversations: ConversationsIndex;
  /** It had everything once. */
  wasBuilt: boolean;
}

/**
 * What filters look conversations up in (decision 29): short columns in memory, metadata and words of messages in a file
 * beside the data file. It is derived: it follows the data file, whenever somebody lets it, and is made anew when it
 * does not fit. One connection at a time may have it.
 */
export class SearchIndex {
  readonly #db: Connection;
  readonly #file: string;
  readonly #instance: string;
  #parts: Parts;
  readonly #tags: TagReader;
  readonly #running: Statement;

  /** @param db the data file, for reading */
  constructor(db: Connection) {
    this.#db = db;
    this.#file = db.name.replace(/(?:\.db)?$/, '.search.db');
    this.#instance = db.prepare("SELECT value FROM meta WHERE name = 'instance'").pluck().get() as string;
    this.#tags = tagReader(db);
    this.#running = db.prepare('SELECT running(0)');
    this.#parts = this.#fitting() ?? this.#anew();
  }

  get columns(): ConversationColumns {
    return this.#parts.conversations.columns;
  }

  /** The file, for questions about metadata and words. */
  get file(): Connection {
    return this.#parts.index;
  }

  /** @throws Error when the query was cut */
  mustGoOn(): void {
    this.#running.get();
  }

  /** The ids of all tags that are not deleted. */
  tags(): string[] {
    return this.#tags.ids();
  }

  /** The ordinal of a conversation by its key; null: it is not known yet. */
  ordinalOf(key: number): number | null {
    return this.#parts.conversations.ordinalOf(key);
  }

  progress(): SearchProgress {
    return this.#parts.messages.progress();
  }

  /**
   * Follows the data file while there is time.
   * @returns whether it has everything that was committed when it was called
   */
  advance(isTimeLeft: () => boolean): boolean {
    try {
      // No message before its conversation, which was committed with it or earlier.
      const ends = this.#parts.messages.ends();
      while (this.#parts.conversations.advance()) if (!isTimeLeft()) return false;
      this.#parts.messages.purge();
      while (this.#parts.messages.advance(ends)) if (!isTimeLeft()) return false;
      this.#built();
      return true;
    } catch (error) {
      this.#mend(error);
      return false;
    }
  }

  /** What is asked of the index. @throws Failure `unavailable` when the file turns out to be damaged */
  ask<T>(question: () => T): T {
    try {
      return question();
    } catch (error) {
      if (error instanceof Failure) throw error;
      this.#mend(error);
      throw being('made anew');
    }
  }

  /** @throws Failure `unavailable` while there are conversations, or messages, that were never looked at */
  mustKnow(what: 'conversations' | 'messages'): void {
    if (what === 'conversations' ? this.#parts.conversations.isLoaded : this.#parts.wasBuilt) return;
    const { left, of } = this.progress();
    const percent = Math.floor((100 * (of - left)) / of);
    throw being(`built: ${percent} % of ${what} are there`);
  }

  close(): void {
    this.#parts.index.close();
  }

  /** What the file that is there holds; null: it does not fit, or is damaged. */
  #fitting(): Parts | null {
    let index: Connection | null = null;
    try {
      index = openSearchFile(this.#file, this.#instance);
      const parts = this.#partsOf(index);
      if (parts.messages.fits) return parts;
    } catch (error) {
      if (!isDamage(error)) throw error;
    }
    index?.close();
    return null;
  }

  #anew(): Parts {
    discardDerived(this.#file);
    return this.#partsOf(openSearchFile(this.#file, this.#instance));
  }

  #partsOf(index: Connection): Parts {
    const messages = new MessagesIndex(this.#db, index);
    const conversations = new ConversationsIndex(this.#db, index, (ordinal, before) =>
      messages.forget(ordinal, before),
    );
    const wasBuilt = index.prepare("SELECT 1 FROM meta WHERE name = 'built'").get() !== undefined;
    return { index, messages, conversations, wasBuilt };
  }

  #built(): void {
    if (this.#parts.wasBuilt) return;
    this.#parts.index.prepare("INSERT OR IGNORE INTO meta VALUES ('built', 'yes')").run();
    this.#parts.wasBuilt = true;
  }

  /** @throws its argument where a new file does not help: it may be the data file that is damaged */
  #mend(error: unknown): void {
    if (!isDamage(error) || isSound(this.#parts.index)) throw error;
    this.#startAnew();
  }

  #startAnew(): void {
    this.#parts.index.close();
    this.#parts = this.#anew();
  }
}

const being = (what: string): Failure =>
  new Failure('unavailable', `The index of filters is being ${what}. Try again.`, { retryAfter: 1 });

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

/**
 * What filters look conversations up in (decision 29): short columns in memory, metadata and words of messages in a file
 * beside the data file. It is derived: it follows the data file, whenever somebody lets it, and is made anew when it
 * does not fit. One connection at a time may have it.
 */
export class SearchIndex {
  readonly #db: Connection;
  readonly #file: string;
  readonly #instance: string;
  #index: Connection;
  #conversations: ConversationsIndex;
  #messages: MessagesIndex;
  #wasBuilt = false;
  readonly #tags: TagReader;
  readonly #running: Statement;

  /** @param db the data file, for reading */
  constructor(db: Connection) {
    this.#db = db;
    this.#file = db.name.replace(/(?:\.db)?$/, '.search.db');
    this.#instance = db.prepare("SELECT value FROM meta WHERE name = 'instance'").pluck().get() as string;
    this.#tags = tagReader(db);
    this.#running = db.prepare('SELECT running(0)');
    this.#index = this.#open();
    this.#messages = new MessagesIndex(db, this.#index);
    if (!this.#messages.fits) this.#startAnew();
    this.#conversations = this.#conversationsIndex();
  }

  get columns(): ConversationColumns {
    return this.#conversations.columns;
  }

  /** The file, for questions about metadata and words. */
  get file(): Connection {
    return this.#index;
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
    return this.#conversations.ordinalOf(key);
  }

  progress(): SearchProgress {
    return this.#messages.progress();
  }

  /**
   * Follows the data file while there is time.
   * @returns whether it has everything that was committed when it was called
   */
  advance(isTimeLeft: () => boolean): boolean {
    try {
      // No message before its conversation, which was committed with it or earlier.
      const ends = this.#messages.ends();
      while (this.#conversations.advance()) if (!isTimeLeft()) return false;
      this.#messages.purge();
      while (this.#messages.advance(ends)) if (!isTimeLeft()) return false;
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
    if (what === 'conversations' ? this.#conversations.isLoaded : this.#wasBuilt) return;
    const { left, of } = this.progress();
    const percent = Math.floor((100 * (of - left)) / of);
    throw being(`built: ${percent} % of ${what} are there`);
  }

  close(): void {
    this.#index.close();
  }

  #open(): Connection {
    const index = openSearchFile(this.#file, this.#instance);
    this.#wasBuilt = index.prepare("SELECT 1 FROM meta WHERE name = 'built'").get() !== undefined;
    return index;
  }

  #built(): void {
    if (this.#wasBuilt) return;
    this.#index.prepare("INSERT OR IGNORE INTO meta VALUES ('built', 'yes')").run();
    this.#wasBuilt = true;
  }

  /** @throws its argument where a new file does not help: it may be the data file that is damaged */
  #mend(error: unknown): void {
    if (!isDamage(error) || isSound(this.#index)) throw error;
    this.#startAnew();
  }

  #startAnew(): void {
    this.#index.close();
    discardDerived(this.#file);
    this.#index = this.#open();
    this.#messages = new MessagesIndex(this.#db, this.#index);
    this.#conversations = this.#conversationsIndex();
  }

  #conversationsIndex(): ConversationsIndex {
    return new ConversationsIndex(this.#db, this.#index, (ordinal, before) => this.#messages.forget(ordinal, before));
  }
}

const being = (what: string): Failure =>
  new Failure('unavailable', `The index of filters is being ${what}. Try again.`, { retryAfter: 1 });

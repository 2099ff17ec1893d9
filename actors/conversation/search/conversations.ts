import { createHash } from 'node:crypto';
import type { Connection } from '../../store/database.ts';
import { keysPerShard } from '../../store/table.ts';
import type { ShardRow } from '../../store/tables.ts';
import { ConversationColumns, type SearchedConversation } from './columns.ts';
import { entriesOf } from './entries.ts';

type ReadRow = SearchedConversation & { metadata: string; erased_before: number | null };

const columns = `key, id, channel_id, source, created_at, display_name, unread_count, workflow, last_message,
  last_message_at, metadata, erased_before`;
/** Rows that one transaction reads. */
const atOnce = 500;

/**
 * Brings conversations into the index: all of them once after each start, which also finds what changed while nobody
 * followed; then those that the journal tells of.
 */
export class ConversationsIndex {
  readonly columns = new ConversationColumns();
  readonly #reads: ReturnType<typeof readsFrom>;
  readonly #writes: ReturnType<typeof writesTo>;
  readonly #forget: (ordinal: number, before: number) => void;
  /** For each shard the last position that was followed. */
  #followed = new Map<number, number>();
  /** Where the reading of all of them has come to; null: they were read. */
  #loadedTo: number | null = null;

  /** @param forget forgets messages of the conversation with this ordinal that are older than a key */
  constructor(db: Connection, index: Connection, forget: (ordinal: number, before: number) => void) {
    this.#forget = forget;
    this.#reads = readsFrom(db);
    this.#writes = writesTo(index);
    this.#loadAll();
  }

  /** Whether every conversation was read once. */
  get isLoaded(): boolean {
    return this.#loadedTo === null;
  }

  /** Reads the next ones. @returns whether there may be more */
  advance(): boolean {
    return this.#loadedTo === null ? this.#follow() : this.#load(this.#loadedTo);
  }

  /** The ordinal of a conversation; null: it is not known yet. */
  ordinalOf(key: number): number | null {
    return this.#writes.find(key)?.ordinal ?? null;
  }

  /** What changes from now on is followed. */
  #loadAll(): void {
    this.#followed = new Map(this.#reads.shards().map((shard) => [shard.shard, endOf(shard)]));
    this.#loadedTo = -1;
  }

  #load(from: number): boolean {
    const rows = this.#reads.after(from);
    this.#writes.transaction(() => this.#take(rows));
    this.#loadedTo = rows.length < atOnce ? null : rows.at(-1)!.key;
    return true;
  }

  #follow(): boolean {
    let isMore = false;
    for (const shard of this.#reads.shards()) {
      const from = this.#followed.get(shard.shard) ?? shard.shard * keysPerShard;
      // What it would have to follow is forgotten.
      if (from + 1 < shard.shard * keysPerShard + shard.horizon) return this.#reload();
      const end = endOf(shard);
      const turns = this.#reads.turns(from, end);
      const keys = new Set(turns.map(({ actor }) => actor));
      // A refused command made no conversation.
      const rows = [...keys].map((key) => this.#reads.one(key)).filter((row) => row !== undefined);
      this.#writes.transaction(() => this.#take(rows));
      const isAll = turns.length < atOnce;
      this.#followed.set(shard.shard, isAll ? end : turns.at(-1)!.key);
      isMore ||= !isAll;
    }
    return isMore;
  }

  #reload(): true {
    this.#loadAll();
    return true;
  }

  #take(rows: readonly ReadRow[]): void {
    for (const row of rows) {
      const { ordinal, metadata: known, erased } = this.#writes.known(row.key);
      this.columns.put(ordinal, row);
      const digest = row.metadata === '{}' ? '' : createHash('sha1').update(row.metadata).digest('base64url');
      if (digest !== known) this.#writes.entries(ordinal, digest, row.metadata);
      if (row.erased_before !== null && row.erased_before !== erased) {
        this.#writes.erased(ordinal, row.erased_before);
        this.#forget(ordinal, row.erased_before);
      }
    }
  }
}

type Shard = Pick<ShardRow, 'shard' | 'next_position' | 'horizon'>;

/** The last position that a shard has given out. */
const endOf = ({ shard, next_position }: Shard): number => shard * keysPerShard + next_position - 1;

function readsFrom(db: Connection) {
  const shards = db.prepare('SELECT shard, next_position, horizon FROM shard');
  const after = db.prepare(`SELECT ${columns} FROM conversation WHERE key > ? ORDER BY key LIMIT ${atOnce}`);
  const one = db.prepare(`SELECT ${columns} FROM conversation WHERE key = ?`);
  const turns = db.prepare(
    `SELECT key, actor FROM journal WHERE key > ? AND key <= ? AND kind = 'conversation' ORDER BY key LIMIT ${atOnce}`,
  );
  return {
    shards: () => shards.all() as Shard[],
    after: (key: number) => after.all(key) as ReadRow[],
    one: (key: number) => one.get(key) as ReadRow | undefined,
    turns: (from: number, to: number) => turns.all(from, to) as { key: number; actor: number }[],
  };
}

interface KnownConversation {
  ordinal: number;
  /** Digest of the metadata whose entries are there. */
  metadata: string;
  /** Its messages with lower keys are erased; 0: none is. */
  erased: number;
}

function writesTo(index: Connection) {
  const known = index.prepare('SELECT ordinal, metadata, erased FROM conversation WHERE key = ?');
  const add = index.prepare("INSERT INTO conversation (key, docs, metadata, erased) VALUES (?, 0, '', 0)");
  const forget = index.prepare('DELETE FROM entry WHERE ordinal = ?');
  const insert = index.prepare('INSERT OR IGNORE INTO entry (path, type, value, ordinal) VALUES (?, ?, ?, ?)');
  const erased = index.prepare('UPDATE conversation SET erased = ? WHERE ordinal = ?');
  const digested = index.prepare('UPDATE conversation SET metadata = ? WHERE ordinal = ?');
  return {
    find: (key: number) => known.get(key) as KnownConversation | undefined,
    /** Gives one that is new its ordinal. */
    known(key: number): KnownConversation {
      return this.find(key) ?? { ordinal: Number(add.run(key).lastInsertRowid), metadata: '', erased: 0 };
    },
    entries(ordinal: number, digest: string, metadata: string): void {
      forget.run(ordinal);
      for (const { path, type, value } of entriesOf(metadata)) insert.run(path, type, value, ordinal);
      digested.run(digest, ordinal);
    },
    erased(ordinal: number, before: number): void {
      erased.run(before, ordinal);
    },
    transaction: (work: () => void): void => index.transaction(work)(),
  };
}

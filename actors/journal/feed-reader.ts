import type { EventJson, EventType, JsonObject } from '../representation.ts';
import type { AnyKind } from '../runtime/kind.ts';
import type { Connection, Statement } from '../store/database.ts';
import { keysPerShard } from '../store/table.ts';
import type { JournalRow, ShardRow } from '../store/tables.ts';
import { uuidToBytes } from '../uuid.ts';
import { decodeCursor, encodeCursor, type Extent } from './cursor.ts';
import type { FeedEntry, FeedPosition, FeedQuery, FeedReader } from './feed.ts';
import { rendererOf } from './render.ts';
import { type Renderer, type TurnEvent, unpackEvents } from './turn.ts';
import { actorTurns } from './walk.ts';
import { parseJson } from '../json.ts';

type FeedRow = Pick<JournalRow, 'key' | 'kind' | 'actor' | 'at' | 'events'>;

const columns = 'key, kind, actor, at, events';
/** Turns that one query takes at most. */
const turnsPerQuery = 1_000;

/** The feed of all shards, read from the journal. A position is one number for each shard: where reading stands in it. */
export function feedReader(db: Connection, shards: number, kinds: readonly AnyKind[]): FeedReader {
  const shardRows = db.prepare('SELECT * FROM shard ORDER BY shard');
  const instance = db.prepare("SELECT value FROM meta WHERE name = 'instance'").pluck().get() as string;
  const reading = new Reading(db, shards, kinds, instance);
  const extent = (): Extent => {
    const rows = new Map((shardRows.all() as ShardRow[]).map((row) => [row.shard, row]));
    const every = Array.from({ length: shards }, (_, shard) => rows.get(shard));
    const start = every.map((row) => (row?.horizon ?? 1) - 1);
    return { instance, start, end: every.map((row) => (row?.next_position ?? 1) - 1) };
  };
  // The host cuts the journal as it likes: what is read at once is of one moment.
  const read = db.transaction((query: FeedQuery) => reading.read(query, extent()));
  return {
    read: (query) => read({ ...query, ...(query.types && { types: distinct(query.types) }) }),
    end: () => extent().end,
    start: () => extent().start,
    encodeCursor: (position) => encodeCursor(instance, position),
    decodeCursor: (cursor) => decodeCursor(cursor, extent()),
  };
}

/** A statement is prepared for each set of types: without order and repetition there are few. */
const distinct = (types: readonly EventType[]): EventType[] => [...new Set(types)].sort();

class Reading {
  readonly #db: Connection;
  readonly #shards: number;
  readonly #instance: string;
  readonly #render: Renderer;
  readonly #statements = new Map<string, Statement>();
  readonly #byKey: Statement;
  readonly #walk: ReturnType<typeof actorTurns>;
  readonly #followed: { name: string; byId: Statement } | null;

  constructor(db: Connection, shards: number, kinds: readonly AnyKind[], instance: string) {
    this.#db = db;
    this.#shards = shards;
    this.#instance = instance;
    this.#render = rendererOf(db, kinds);
    this.#byKey = db.prepare(`SELECT ${columns} FROM journal WHERE key = ?`);
    this.#walk = actorTurns(db);
    const kind = kinds.find(({ followed }) => followed);
    const byId = (table: string): Statement => db.prepare(`SELECT key, last_turn FROM ${table} WHERE id = ?`);
    this.#followed = kind ? { name: kind.name, byId: byId(kind.table.name) } : null;
  }

  /** Shard after shard: events of one subject are in one shard, so their order holds. */
  read(query: FeedQuery, { start, end }: Extent): FeedEntry[] {
    const entries: FeedEntry[] = [];
    let position: FeedPosition = start.map((from, shard) => Math.max(from, query.after[shard] ?? 0));
    for (let shard = 0; shard < this.#shards && entries.length < query.limit; shard++) {
      const base = shard * keysPerShard;
      const wanted = query.limit - entries.length;
      let found = 0;
      for (const { row, event, key } of this.#events(query, base + position[shard]!, base, wanted)) {
        position = position.with(shard, key - base);
        entries.push(this.#entry(row, event, position));
        if (++found === wanted) break;
      }
      if (found < wanted && end[shard]! > position[shard]!) position = position.with(shard, end[shard]!);
    }
    return entries;
  }

  /** Events of a shard behind a key, as far as the query wants them. */
  *#events(
    { types, conversationId }: FeedQuery,
    after: number,
    base: number,
    wanted: number,
  ): Iterable<{ row: FeedRow; event: TurnEvent; key: number }> {
    const rows =
      conversationId === undefined
        ? this.#turns(types, after, base, wanted)
        : this.#turnsOf(conversationId, after, base, wanted);
    for (const row of rows) {
      for (const [i, event] of unpackEvents(row.events).entries()) {
        const key = row.key + i;
        if (key > after && (types === undefined || types.includes(event.type))) yield { row, event, key };
      }
    }
  }

  *#turns(types: readonly EventType[] | undefined, after: number, base: number, wanted: number): Iterable<FeedRow> {
    const limit = Math.min(turnsPerQuery, wanted + 1);
    const statement = this.#statementFor(types ?? []);
    // A position may stand inside a turn, whose other events are still to be read.
    let oldest = base;
    for (let from = after + 1; ; ) {
      const rows = statement.all(from, oldest, from, base + keysPerShard, limit) as FeedRow[];
      yield* rows;
      const last = rows.at(-1);
      if (last === undefined || rows.length < limit) return;
      from = last.key + 1;
      oldest = from;
    }
  }

  *#turnsOf(conversationId: string, after: number, base: number, wanted: number): Iterable<FeedRow> {
    const actor = this.#followed?.byId.get(uuidToBytes(conversationId)) as
      | { key: number; last_turn: number }
      | undefined;
    if (actor === undefined || Math.floor(actor.key / keysPerShard) * keysPerShard !== base) return;
    // The turn that the position stands in has events behind it.
    let bound = this.#turnAt(after);
    // Each walk begins at the newest turn: in small pieces, a type that is rare would cost the square of the history.
    for (let piece = wanted + 1; ; piece *= 2) {
      const keys = this.#walk(actor.last_turn, bound, piece);
      for (const key of keys) yield this.#byKey.get(key) as FeedRow;
      const last = keys.at(-1);
      if (last === undefined || keys.length < piece) return;
      bound = last;
    }
  }

  /** The key before the turn that a feed key belongs to. */
  #turnAt(key: number): number {
    const statement = this.#prepared(
      'turn at',
      'SELECT key FROM journal WHERE key <= ? ORDER BY key DESC LIMIT 1',
    ).pluck();
    return ((statement.get(key) as number | undefined) ?? 1) - 1;
  }

  /** Sorted out by SQLite: a type that is rare would otherwise bring every turn into this process. */
  #statementFor(types: readonly EventType[]): Statement {
    const wanted = types.map((type) => `instr(events, '["${type}"') > 0`).join(' OR ');
    return this.#prepared(
      `turns ${types.join()}`,
      `SELECT ${columns} FROM journal
       WHERE key >= ifnull((SELECT key FROM journal WHERE key <= ? AND key >= ? ORDER BY key DESC LIMIT 1), ?)
         AND key < ? AND events IS NOT NULL ${wanted && `AND (${wanted})`} ORDER BY key LIMIT ?`,
    );
  }

  #prepared(name: string, sql: string): Statement {
    let statement = this.#statements.get(name);
    if (statement === undefined) {
      statement = this.#db.prepare(sql) as Statement;
      this.#statements.set(name, statement);
    }
    return statement;
  }

  #entry(row: FeedRow, event: TurnEvent, position: FeedPosition): FeedEntry {
    const { payload, subject } = this.#render(row.kind, row.actor, event);
    const conversationId = subject.type === this.#followed?.name ? subject.id : null;
    const told = { type: event.type, subject, payload, timestamp: row.at, seq: event.seq };
    return new RenderedEntry(this.#instance, told, position, conversationId);
  }
}

/** An event before it has a cursor; its payload is JSON text. */
interface ToldEvent extends Omit<EventJson, 'payload' | 'cursor'> {
  payload: string;
}

/** An event as JSON text; as a value once somebody asks for it. */
class RenderedEntry implements FeedEntry {
  readonly position: FeedPosition;
  readonly conversationId: string | null;
  readonly #instance: string;
  readonly #told: ToldEvent;
  #parsed: EventJson | null = null;

  constructor(instance: string, told: ToldEvent, position: FeedPosition, conversationId: string | null) {
    this.#instance = instance;
    this.#told = told;
    this.position = position;
    this.conversationId = conversationId;
  }

  get event(): EventJson {
    this.#parsed ??= {
      ...this.#told,
      payload: parseJson(this.#told.payload) as JsonObject,
      cursor: encodeCursor(this.#instance, this.position),
    };
    return this.#parsed;
  }

  get text(): string {
    return eventText(this.#told, encodeCursor(this.#instance, this.position));
  }
}

/** An event as JSON text, put together around its payload's. */
export const eventText = ({ type, subject, payload, timestamp, seq }: ToldEvent, cursor: string): string =>
  `{"type":"${type}","subject":{"type":"${subject.type}","id":"${subject.id}"},"payload":${payload},` +
  `"timestamp":${timestamp},"seq":${seq},"cursor":"${cursor}"}`;

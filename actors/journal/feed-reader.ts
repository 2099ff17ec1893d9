import { parseJson } from '../json.ts';
import type { EventJson, EventType, JsonObject } from '../representation.ts';
import type { AnyKind } from '../runtime/kind.ts';
import type { Connection, Statement } from '../store/database.ts';
import { keysPerShard } from '../store/table.ts';
import type { JournalRow, ShardRow } from '../store/tables.ts';
import { uuidToBytes } from '../uuid.ts';
import { decodeCursor, encodeCursor, type Extent } from './cursor.ts';
import type { FeedEntry, FeedPage, FeedPosition, FeedQuery, FeedReader } from './feed.ts';
import { PageInProgress } from './page-in-progress.ts';
import { type Rendering, renderingOf } from './render.ts';
import { type Renderer, type TurnEvent, unpackEvents } from './turn.ts';
import { actorTurns } from './walk.ts';

type FeedRow = Pick<JournalRow, 'key' | 'kind' | 'actor' | 'at' | 'events'>;

const columns = 'key, kind, actor, at, events';
/** Positions that one query looks at. */
const positionsPerQuery = 1_000;
/** Turns of a conversation that are looked up at first. */
const turnsPerWalk = 128;

/** Turns that were looked at together: every position up to `place` (0: up to the last turn's), so many in all. */
interface Span {
  rows: FeedRow[];
  place: number;
  positions: number;
}

/** A step through a shard: up to which place, how many positions it took, and the event that stands there. */
interface Look {
  place: number;
  positions: number;
  found: { row: FeedRow; event: TurnEvent } | null;
}

/** The feed of all shards, read from the journal. A position is one number for each shard: where reading stands in it. */
export function feedReader(
  db: Connection,
  shards: number,
  kinds: readonly AnyKind[],
  { render }: Pick<Rendering, 'render'> = renderingOf(db, kinds),
): FeedReader {
  const shardRows = db.prepare('SELECT * FROM shard ORDER BY shard');
  const instance = db.prepare("SELECT value FROM meta WHERE name = 'instance'").pluck().get() as string;
  const reading = new Reading(db, kinds, instance, render);
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
  readonly #instance: string;
  readonly #render: Renderer;
  readonly #statements = new Map<string, Statement>();
  readonly #byKey: Statement;
  readonly #walk: ReturnType<typeof actorTurns>;
  readonly #followed: { name: string; byId: Statement } | null;

  constructor(db: Connection, kinds: readonly AnyKind[], instance: string, render: Renderer) {
    this.#db = db;
    this.#instance = instance;
    this.#render = render;
    this.#byKey = db.prepare(`SELECT ${columns} FROM journal WHERE key = ?`);
    this.#walk = actorTurns(db);
    const kind = kinds.find(({ followed }) => followed);
    const byId = (table: string): Statement => db.prepare(`SELECT key, last_turn FROM ${table} WHERE id = ?`);
    this.#followed = kind ? { name: kind.name, byId: byId(kind.table.name) } : null;
  }

  /** Events of one subject are in one shard, so their order holds. */
  read(query: FeedQuery, { start, end }: Extent): FeedPage {
    const from = start.map((oldest, shard) => Math.max(oldest, query.after[shard] ?? 0));
    const page = new PageInProgress(query.limit, from);
    let open = from.map((place, shard) => ({ shard, looks: this.#looks(query, shard, place, end[shard]!) }));
    // Each shard has its share; what one does not need is the others'.
    while (open.length > 0 && !page.isFull) {
      const share = Math.ceil(page.room / open.length);
      open = open.filter(({ shard, looks }) => {
        const isOver = this.#take(looks, shard, share, page);
        if (isOver) page.passed(shard, end[shard]!);
        return !isOver;
      });
    }
    return page.ended(open.length === 0);
  }

  /** Takes what a shard has into a page, up to its share. @returns whether there is nothing more in it */
  #take(looks: Iterator<Look>, shard: number, share: number, page: PageInProgress): boolean {
    for (let taken = 0; taken < share && !page.isFull; ) {
      const { done, value: look } = looks.next();
      if (done) return true;
      const { place, positions, found } = look;
      if (found !== null) {
        const { told, conversationId } = this.#told(found.row, found.event);
        if (!page.fits(Buffer.byteLength(told.payload))) return false;
        page.add(new RenderedEntry(this.#instance, told, page.position.with(shard, place), shard, conversationId));
        taken++;
      }
      page.passed(shard, place, positions);
    }
    return false;
  }

  /** Looks through a shard behind a place, for what a query wants. */
  *#looks(query: FeedQuery, shard: number, after: number, end: number): Generator<Look, void> {
    const base = shard * keysPerShard;
    const spans =
      query.conversationId === undefined
        ? this.#spans(query.types ?? [], base, after, end, query.limit)
        : this.#spansOf(query.conversationId, base, after);
    for (const { rows, place, positions } of spans) {
      for (const row of rows) {
        for (const [i, event] of unpackEvents(row.events).entries()) {
          const at = row.key + i - base;
          const isWanted = at > after && (query.types === undefined || query.types.includes(event.type));
          if (isWanted) yield { place: at, positions: 0, found: { row, event } };
        }
      }
      yield { place, positions, found: null };
    }
  }

  /** The turns of a shard, a piece at a time. */
  *#spans(types: readonly EventType[], base: number, after: number, end: number, wanted: number): Generator<Span> {
    const statement = this.#statementFor(types);
    const limit = Math.min(positionsPerQuery, wanted + 1);
    // A position may stand inside a turn, whose other events are still to be read.
    let oldest = base;
    for (let from = after + 1; from <= end; ) {
      const to = Math.min(from + positionsPerQuery, end + 1);
      const rows = statement.all(base + from, oldest, base + from, base + to, limit) as FeedRow[];
      const isWhole = rows.length < limit;
      const next = isWhole ? to : rows.at(-1)!.key + 1 - base;
      yield { rows, place: isWhole ? to - 1 : 0, positions: next - from };
      from = next;
      oldest = base + from;
    }
  }

  /** The turns of a conversation. */
  *#spansOf(conversationId: string, base: number, after: number): Generator<Span> {
    const actor = this.#followed?.byId.get(uuidToBytes(conversationId)) as
      | { key: number; last_turn: number }
      | undefined;
    if (actor === undefined || Math.floor(actor.key / keysPerShard) * keysPerShard !== base) return;
    // The turn that the position stands in has events behind it.
    let bound = this.#turnAt(base + after);
    // Each walk begins at the newest turn: in small pieces, a type that is rare would cost the square of the history.
    for (let piece = turnsPerWalk; ; piece *= 2) {
      const keys = this.#walk(actor.last_turn, bound, piece);
      for (const key of keys) {
        yield { rows: [this.#byKey.get(key) as FeedRow], place: key - base, positions: 1 };
      }
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

  #told(row: FeedRow, event: TurnEvent): { told: ToldEvent; conversationId: string | null } {
    const { payload, subject } = this.#render(row.kind, row.actor, event);
    const conversationId = subject.type === this.#followed?.name ? subject.id : null;
    return { told: { type: event.type, subject, payload, timestamp: row.at, seq: event.seq }, conversationId };
  }
}

/** An event before it has a cursor; its payload is JSON text. */
interface ToldEvent extends Omit<EventJson, 'payload' | 'cursor'> {
  payload: string;
}

/** An event as JSON text; as a value once somebody asks for it. */
class RenderedEntry implements FeedEntry {
  readonly position: FeedPosition;
  readonly shard: number;
  readonly conversationId: string | null;
  readonly #instance: string;
  readonly #told: ToldEvent;
  #parsed: EventJson | null = null;

  constructor(instance: string, told: ToldEvent, position: FeedPosition, shard: number, conversationId: string | null) {
    this.#instance = instance;
    this.#told = told;
    this.position = position;
    this.shard = shard;
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

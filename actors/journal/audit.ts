import { type Cause, causeIn } from '../cause.ts';
import { type AuditEntryJson, isoTime } from '../representation.ts';
import type { AnyKind } from '../runtime/kind.ts';
import type { Connection, Statement } from '../store/database.ts';
import { keysPerShard } from '../store/table.ts';
import type { JournalRow, ShardRow } from '../store/tables.ts';
import { uuidFromBytes, uuidToBytes } from '../uuid.ts';
import { parseJson } from '../json.ts';
import { unpackEvents } from './turn.ts';

export interface AuditQuery {
  limit: number;
  /** For each shard the place that the page before has ended at; null: from the newest on. */
  before: readonly number[] | null;
  /** All of a kind, or one of it. */
  actor?: { kind: string; id?: string };
  /** All of a kind, or one of it. */
  by?: { kind: string; id?: string };
  /** Epoch ms, both included. */
  from?: number;
  to?: number;
}

export interface AuditPage {
  entries: AuditEntryJson[];
  /** For the next page; null: there is nothing more. */
  next: readonly number[] | null;
}

export interface AuditReader {
  /** Turns, newest first. A page looks at a bounded number of them, so that it may be short, or empty, before the end. */
  page(query: AuditQuery): AuditPage;
}

/** What one page looks at, at most: positions, or turns of the one actor that is asked for. */
export const mostLooks = 10_000;
const looksAtOnce = 1_000;
/** Commands wait for their turn, so times do not quite follow the order, in ms. */
const disorder = 60_000;

type Found = Pick<JournalRow, 'key' | 'at' | 'kind' | 'actor' | 'previous' | 'cause'>;
const columns = 'key, at, kind, actor, previous, cause';

/** Goes back through the turns of a shard, or of an actor, some at a time. */
interface Walk {
  /** What was found and is not on a page yet, newest first. */
  readonly found: Found[];
  /** Everything from here on was looked at. */
  place: number;
  isOver: boolean;
  /** @returns at how many it looked */
  look(): number;
}

export function auditReader(db: Connection, shards: number, kinds: readonly AnyKind[]): AuditReader {
  const reading = new Reading(db, shards, kinds);
  // The host cuts the journal as it likes: what is read at once is of one moment.
  const page = db.transaction((query: AuditQuery) => reading.page(query));
  return { page: (query) => page(query) };
}

class Reading {
  readonly #shards: number;
  readonly #extents: Statement;
  readonly #range: Statement;
  readonly #firstFrom: Statement;
  readonly #byKey: Statement;
  readonly #whole: Statement;
  readonly #actors: ReadonlyMap<string, { byId: Statement; idOf: Statement }>;

  constructor(db: Connection, shards: number, kinds: readonly AnyKind[]) {
    this.#shards = shards;
    this.#extents = db.prepare('SELECT shard, horizon, next_position FROM shard');
    this.#range = db.prepare(`SELECT ${columns} FROM journal WHERE key >= ? AND key < ? ORDER BY key DESC`);
    this.#firstFrom = db.prepare('SELECT key, at FROM journal WHERE key >= ? AND key < ? ORDER BY key LIMIT 1');
    this.#byKey = db.prepare(`SELECT ${columns} FROM journal WHERE key = ?`);
    this.#whole = db.prepare('SELECT * FROM journal WHERE key = ?');
    this.#actors = new Map(
      kinds.map(({ name, table }) => [
        name,
        {
          byId: db.prepare(`SELECT key, last_turn FROM ${table.name} WHERE id = ?`),
          idOf: db.prepare(`SELECT id FROM ${table.name} WHERE key = ?`).pluck(),
        },
      ]),
    );
  }

  page(query: AuditQuery): AuditPage {
    const walks = this.#walks(query);
    const entries: AuditEntryJson[] = [];
    for (let looks = 0; entries.length < query.limit; ) {
      const hungry = walks.find(({ found, isOver }) => found.length === 0 && !isOver);
      if (hungry !== undefined) {
        if (looks >= mostLooks) break;
        looks += hungry.look();
        continue;
      }
      const newest = newestOf(walks);
      if (newest === null) break;
      entries.push(this.#entry(newest));
    }
    const more = walks.some(({ found, isOver }) => found.length > 0 || !isOver);
    return { entries, next: more ? walks.map(({ found: [first], place }) => (first ? first.key + 1 : place)) : null };
  }

  #walks(query: AuditQuery): Walk[] {
    if (query.actor?.id !== undefined) return [this.#walkOfActor(query, query.actor.kind, query.actor.id)];
    const rows = this.#extents.all() as Pick<ShardRow, 'shard' | 'horizon' | 'next_position'>[];
    const extents = new Map(rows.map((row) => [row.shard, row]));
    return Array.from({ length: this.#shards }, (_, shard) => {
      const { horizon, next_position: end } = extents.get(shard) ?? { horizon: 1, next_position: 1 };
      const base = shard * keysPerShard;
      return this.#walkOfShard(query, base + horizon, base + end, query.before?.[shard]);
    });
  }

  #walkOfShard(query: AuditQuery, oldest: number, end: number, before: number | undefined): Walk {
    const start = before ?? (query.to === undefined ? end : this.#endOf(query.to + disorder, oldest, end));
    const walk: Walk = {
      found: [],
      place: Math.min(start, end),
      isOver: false,
      look: () => {
        const from = Math.max(oldest, walk.place - looksAtOnce);
        const rows = this.#range.all(from, walk.place) as Found[];
        walk.found.push(...rows.filter((row) => isWanted(query, row)));
        const looks = walk.place - from;
        walk.place = from;
        walk.isOver = !(from > oldest) || isBefore(rows.at(-1), query);
        return looks;
      },
    };
    return walk;
  }

  #walkOfActor(query: AuditQuery, kind: string, id: string): Walk {
    const actor = this.#actors.get(kind)?.byId.get(uuidToBytes(id)) as { key: number; last_turn: number } | undefined;
    const [before = (actor?.last_turn ?? 0) + 1] = query.before ?? [];
    const walk: Walk = {
      found: [],
      place: before,
      isOver: actor === undefined,
      look: () => {
        let looks = 0;
        while (looks++ < looksAtOnce && !walk.isOver) {
          const row = this.#byKey.get(walk.place - 1) as Found | undefined;
          // A cursor may be anything: what is not the actor's own is not shown.
          const isOwn = row?.kind === kind && row.actor === actor!.key;
          if (isOwn && isWanted(query, row)) walk.found.push(row);
          walk.isOver = !isOwn || row.previous === 0 || isBefore(row, query);
          walk.place = isOwn ? row.previous + 1 : walk.place;
        }
        return looks;
      },
    };
    return walk;
  }

  /** The key behind the turns up to a time, without an index: times follow the order of keys, nearly. */
  #endOf(time: number, oldest: number, end: number): number {
    let [low, high] = [oldest, end];
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      const row = this.#firstFrom.get(middle, high) as Pick<JournalRow, 'key' | 'at'> | undefined;
      if (row === undefined || row.at > time) high = middle;
      else low = row.key + 1;
    }
    return low;
  }

  #entry({ key }: Found): AuditEntryJson {
    const row = this.#whole.get(key) as JournalRow & { command: Uint8Array };
    const { kind, id, requestId } = causeIn(row.cause);
    const actorId = this.#actors.get(row.kind)?.idOf.get(row.actor) as Uint8Array | undefined;
    return {
      at: isoTime(row.at),
      by: { kind, ...(id !== null && { id }) },
      ...(requestId !== null && { request_id: requestId }),
      actor: { kind: row.kind, ...(actorId && { id: uuidFromBytes(actorId) }) },
      type: row.type,
      command_id: uuidFromBytes(row.command),
      events: unpackEvents(row.events).map(({ type }) => type),
      ...(row.actor === 0 && refusalIn(row.answer)),
    };
  }
}

/** Takes the newest of what the walks have found. */
function newestOf(walks: readonly Walk[]): Found | null {
  let newest: Walk | null = null;
  for (const walk of walks) {
    const [first] = walk.found;
    if (first !== undefined && (newest === null || first.at > newest.found[0]!.at)) newest = walk;
  }
  return newest?.found.shift() ?? null;
}

function isWanted({ actor, by, from, to }: AuditQuery, row: Found): boolean {
  if (from !== undefined && row.at < from) return false;
  if (to !== undefined && row.at > to) return false;
  return (actor === undefined || row.kind === actor.kind) && (by === undefined || isBy(by, causeIn(row.cause)));
}

const isBy = (by: { kind: string; id?: string }, cause: Cause): boolean =>
  by.kind === cause.kind && (by.id === undefined || by.id === cause.id);

/** Whether nothing before a turn can be wanted, by its time. */
const isBefore = (row: Found | undefined, { from }: AuditQuery): boolean =>
  row !== undefined && from !== undefined && row.at < from - disorder;

/** Commands that belong to nobody's chain were refused, or became dead letters. */
function refusalIn(answer: string | null): Pick<AuditEntryJson, 'refused'> {
  if (answer === null) return { refused: 'internal' };
  const { failure } = parseJson(answer) as { failure?: { code: string } };
  return failure === undefined ? {} : { refused: failure.code };
}

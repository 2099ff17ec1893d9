import { type ChangeRecord, recordHash, type ShardPosition } from '../log/shard-log.ts';
import { noSums, RowSums } from '../journal/row-digest.ts';
import type { RowChange } from '../journal/turn.ts';
import { rowAfter } from '../log/apply.ts';
import { type Change, keysPerShard } from '../store/table.ts';
import type { ShardRow } from '../store/tables.ts';
import type { Mailbox } from './mailbox.ts';

/** Actor key → slot: fixed for good, so that moving slots between shards never moves an actor between slots. */
export const slots = 256;

/** FNV-1a of the id's text, in 32 bits. */
export function slotOf(id: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < id.length; i++) hash = Math.imul(hash ^ id.charCodeAt(i), 0x01000193);
  return (hash >>> 0) % slots;
}

/** The shard of an actor: slots are dealt out evenly. */
export const shardOf = (id: string, shards: number): number => slotOf(id) % shards;

/** Hands out keys and positions of a shard, in arrival order. */
export class ShardCounters {
  readonly #base: number;
  #mark: ShardPosition;

  constructor(shard: number, mark: ShardPosition) {
    this.#base = shard * keysPerShard;
    const { next_key, next_position, horizon, time, sums } = mark;
    this.#mark = { next_key, next_position, horizon, time, sums };
  }

  takeKey(): number {
    return this.#base + this.#mark.next_key++;
  }

  /** The key of the turn that is under way: the position that it takes when it ends. */
  get turn(): number {
    return this.#base + this.#mark.next_position;
  }

  /** Ends the turn under way. */
  takePositions(count: number): void {
    this.#mark.next_position += count;
  }

  /** Forgets the journal before a key. */
  raiseHorizon(key: number): void {
    this.#mark.horizon = key - this.#base;
  }

  /** Sets the shard's own time, in ms. */
  passTo(time: number): void {
    this.#mark.time = time;
  }

  /** Counts what was made of rows where no kept turn says so. */
  account(changes: readonly RowChange[]): void {
    if (changes.length === 0) return;
    const sums = new RowSums(this.#mark.sums);
    for (const change of changes) sums.add(change);
    this.#mark.sums = sums.toString();
  }

  mark(): ShardPosition {
    return { ...this.#mark };
  }

  /** Back to a mark: what was handed out since was never committed. */
  reset(mark: ShardPosition): void {
    this.#mark = { ...mark };
  }
}

/** A record that is about to be appended, and the shard's row once it is committed. */
export interface Prepared {
  record: ChangeRecord;
  row: ShardRow;
}

const firstPosition: ShardPosition = { next_key: 1, next_position: 1, horizon: 1, time: 0, sums: noSums };

/** A shard that this host owns: where its log stands, and what waits for it. */
export class Shard {
  readonly number: number;
  readonly mailbox: Mailbox;
  readonly counters: ShardCounters;
  readonly epoch: number;
  #lsn: number;
  #hash: string;

  /** @param epoch of the owner; default: that of the row */
  constructor(number: number, row: ShardRow | null, mailbox: Mailbox, epoch = row?.epoch ?? 1) {
    this.number = number;
    this.mailbox = mailbox;
    this.epoch = epoch;
    this.#lsn = row?.lsn ?? 0;
    this.#hash = row?.hash ?? '';
    this.counters = new ShardCounters(number, row ?? firstPosition);
  }

  owns(actorId: string, shards: number): boolean {
    return shardOf(actorId, shards) === this.number;
  }

  get lsn(): number {
    return this.#lsn;
  }

  /** Whether there is anything to record since the counters stood at a mark. */
  hasMoved(since: ShardPosition, changes: readonly Change[]): boolean {
    return changes.length > 0 || this.counters.mark().time !== since.time;
  }

  /** The record of a batch, or of a takeover by `owner`. Nothing of the shard moves before `advance`. */
  prepare(changes: Change[], owner?: string): Prepared {
    const { number: shard, epoch } = this;
    const position = this.counters.mark();
    const taken = owner === undefined ? {} : { owner };
    const record = { shard, epoch, ...taken, lsn: this.#lsn + 1, prevHash: this.#hash, position, changes };
    return { record, row: rowAfter(record, recordHash(record)) };
  }

  /** The record is durable. */
  advance({ row }: Prepared): void {
    this.#lsn = row.lsn;
    this.#hash = row.hash;
  }
}

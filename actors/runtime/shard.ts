import { type ChangeRecord, recordHash } from '../log/shard-log.ts';
import { type Change, keysPerShard, type Rows } from '../store/tables.ts';
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

/** Hands out keys and feed positions of a shard, in arrival order. */
export class ShardCounters {
  readonly #shard: number;
  #nextKey: number;
  #nextPosition: number;

  constructor(shard: number, nextKey: number, nextPosition: number) {
    this.#shard = shard;
    this.#nextKey = nextKey;
    this.#nextPosition = nextPosition;
  }

  takeKey(): number {
    return this.#shard * keysPerShard + this.#nextKey++;
  }

  takePosition(): number {
    return this.#shard * keysPerShard + this.#nextPosition++;
  }

  mark(): { next_key: number; next_position: number } {
    return { next_key: this.#nextKey, next_position: this.#nextPosition };
  }

  /** Back to a mark: what was handed out since was never committed. */
  reset(mark: { next_key: number; next_position: number }): void {
    this.#nextKey = mark.next_key;
    this.#nextPosition = mark.next_position;
  }
}

/** A shard that this host owns: where its log stands, and what waits for it. */
export class Shard {
  readonly number: number;
  readonly mailbox: Mailbox;
  readonly counters: ShardCounters;
  #lsn: number;
  #epoch: number;
  #hash: string;
  #stored: boolean;

  constructor(number: number, row: Rows['shard'] | null, mailbox: Mailbox) {
    this.number = number;
    this.mailbox = mailbox;
    this.#stored = row !== null;
    this.#lsn = row?.lsn ?? 0;
    this.#epoch = row?.epoch ?? 1;
    this.#hash = row?.hash ?? '';
    this.counters = new ShardCounters(number, row?.next_key ?? 1, row?.next_position ?? 1);
  }

  owns(actorId: string, shards: number): boolean {
    return shardOf(actorId, shards) === this.number;
  }

  /** A change that means nothing and reaches the disk; null while the shard has no row. */
  touch(): Change | null {
    return this.#stored ? { table: 'shard', op: 'update', key: this.number, row: { lsn: this.#lsn } } : null;
  }

  /** The record of a batch, the shard's own new row, and `advance`, to be called when both are durable. */
  record(changes: Change[]): { record: ChangeRecord; row: Change; advance: () => void } {
    const record = { shard: this.number, epoch: this.#epoch, lsn: this.#lsn + 1, prevHash: this.#hash, changes };
    const hash = recordHash(record);
    const columns = { lsn: record.lsn, epoch: record.epoch, hash, ...this.counters.mark() };
    const row: Change = this.#stored
      ? { table: 'shard', op: 'update', key: this.number, row: columns }
      : { table: 'shard', op: 'insert', row: { shard: this.number, ...columns } };
    const advance = (): void => {
      this.#lsn = record.lsn;
      this.#hash = hash;
      this.#stored = true;
    };
    return { record, row, advance };
  }
}

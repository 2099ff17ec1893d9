import { type ChangeRecord, FencedError, NotAppendedError, recordHash, type ShardLog } from '#actors/log/shard-log.ts';

/** What becomes of an append: `lost` is in the log, and nobody is told; `failed` is not, and nobody knows. */
export type Fate = 'appended' | 'lost' | 'failed' | 'not appended' | 'held';

/** A log with copies elsewhere, as its callers see it. The test decides what becomes of each append. */
export class ReplicatedLog implements ShardLog {
  readonly replicated = true;
  /** What is in the log. */
  readonly records: ChangeRecord[] = [];
  /** Every append that was asked for. */
  readonly appends: ChangeRecord[] = [];
  /** Appends that wait: calling one of them lets it go on. */
  readonly held: (() => void)[] = [];
  /** Set: `tail` fails. */
  unreachable = false;
  readonly #fate: (record: ChangeRecord) => Fate;

  /** @param fate asked once for each append */
  constructor(fate: (record: ChangeRecord) => Fate = () => 'appended') {
    this.#fate = fate;
  }

  of(shard: number): ChangeRecord[] {
    return this.records.filter((record) => record.shard === shard);
  }

  async append(given: ChangeRecord): Promise<void> {
    const record = JSON.parse(JSON.stringify(given)) as ChangeRecord;
    this.appends.push(record);
    const fate = this.#fate(record);
    if (fate === 'held') await new Promise<void>((resolve) => this.held.push(resolve));
    if (fate === 'failed') throw new Error('no connection');
    if (fate === 'not appended') throw new NotAppendedError('no quorum');
    this.#add(record);
    if (fate === 'lost') throw new Error('no answer');
  }

  tail(shard: number, after: number): Promise<ChangeRecord[]> {
    if (this.unreachable) return Promise.reject(new Error('no connection'));
    return Promise.resolve(this.of(shard).slice(after));
  }

  #add(record: ChangeRecord): void {
    const before = this.of(record.shard);
    const there = before[record.lsn - 1];
    if (there !== undefined) {
      if (recordHash(there) === recordHash(record)) return;
      throw new FencedError(`Record ${record.lsn} of shard ${record.shard} is of epoch ${there.epoch}.`);
    }
    if (record.lsn !== before.length + 1) throw new Error(`There is no record before ${record.lsn}.`);
    this.records.push(record);
  }
}

import { type ChangeRecord, FencedError, recordHash, type ShardLog } from '#actors/log/shard-log.ts';
import type { HostStore } from '#actors/store/host-store.ts';
import type { WriteTransactions } from '#actors/store/write-transaction.ts';
import { never, type SimulatedProcess } from './process.ts';

/** The process was cut off in the middle of a step. */
export class Cut extends Error {
  override readonly name = 'Cut';
}

/** Ways to make a host that breaks its promises: the invariants must see each. */
export type Sabotage = 'forgets-answers' | 'forgets-commits' | 'forgets-effects';

export interface StepWatch {
  /** Called before each step of the write path: it may kill the process. */
  step(process: SimulatedProcess, name: string): void;
  /** Whether the disk fails at this step. */
  diskFails(name: string): boolean;
}

/** As SQLite's driver reports it. */
const diskError = (): Error => Object.assign(new Error('disk I/O error'), { code: 'SQLITE_IOERR' });

/** The store of a host whose process can be cut between any two steps, and whose disk can fail. */
export function faultyStore(
  store: HostStore,
  process: SimulatedProcess,
  watch: StepWatch,
  sabotage: Sabotage | null,
): HostStore {
  const { transactions } = store;
  const at = (name: string): void => {
    if (process.alive) watch.step(process, name);
    if (!process.alive) throw new Cut(name);
    if (watch.diskFails(name)) throw diskError();
  };
  let commits = 0;
  const faulty: Pick<WriteTransactions, 'begin' | 'apply' | 'advance' | 'touch' | 'commit' | 'rollback'> = {
    begin() {
      at('begin');
      transactions.begin();
    },
    apply(change) {
      at(`apply ${change.table}`);
      if (sabotage === 'forgets-effects' && change.table === 'outbox' && change.op === 'insert') return;
      transactions.apply(change);
    },
    advance: (row, previousHash) => transactions.advance(row, previousHash),
    touch: () => transactions.touch(),
    commit() {
      at('commit');
      commits++;
      if (sabotage === 'forgets-commits' && commits % 10 === 0) transactions.rollback();
      else transactions.commit();
      watch.step(process, 'committed');
      if (!process.alive) throw new Cut('committed');
    },
    rollback() {
      // Closing the file of a dead process rolls back.
      if (process.alive) transactions.rollback();
    },
  };
  return {
    ...store,
    ...(sabotage === 'forgets-answers' && { answered: () => null }),
    transactions: faulty as WriteTransactions,
  };
}

/** How a replicated log behaves towards one append. */
export type Delivery = 'answers' | 'loses the answer' | 'loses the record';

/** The log of a world. It outlives every process, and sees that what was appended is what is stored. */
export class LogWatch {
  /** By shard and lsn; a local record whose commit failed is appended again, as another one. */
  readonly #records = new Map<string, { hash: string; prevHash: string }[]>();
  /** What a replicated log holds of each shard. */
  readonly #decided = new Map<number, ChangeRecord[]>();

  /** A log whose commit is the append. */
  local(process: SimulatedProcess, watch: StepWatch): ShardLog {
    return {
      replicated: false,
      append: (record) => {
        this.#step(process, watch, 'append');
        this.#keep(record);
        this.#step(process, watch, 'appended');
      },
      tail: () => Promise.resolve([]),
    };
  }

  /** A log that answers after a while, or not at all. */
  replicated(process: SimulatedProcess, watch: StepWatch, delay: () => number, deliver: () => Delivery): ShardLog {
    const later = (): Promise<void> =>
      process.alive ? new Promise((resolve) => process.clock.schedule(delay(), resolve)) : never();
    return {
      replicated: true,
      append: async (record) => {
        this.#step(process, watch, 'append');
        const delivery = deliver();
        if (delivery !== 'loses the record') this.#decide(record);
        this.#step(process, watch, 'appended');
        await later();
        if (delivery !== 'answers') throw new Error('no answer in time');
      },
      tail: async (shard, after) => {
        await later();
        return (this.#decided.get(shard) ?? []).filter(({ lsn }) => lsn > after);
      },
    };
  }

  /** What is wrong with the chain that ends at a shard's stored row. */
  problems(shard: { shard: number; lsn: number; hash: string }): string[] {
    let wanted = shard.hash;
    for (let lsn = shard.lsn; lsn > 0; lsn--) {
      const record = this.#records.get(`${shard.shard} ${lsn}`)?.find(({ hash }) => hash === wanted);
      if (record === undefined) return [`shard ${shard.shard}: no appended record ${lsn} has the hash ${wanted}`];
      wanted = record.prevHash;
    }
    return wanted === '' ? [] : [`shard ${shard.shard}: the first record names the one before it as ${wanted}`];
  }

  #step(process: SimulatedProcess, watch: StepWatch, name: string): void {
    if (process.alive) watch.step(process, name);
    if (!process.alive) throw new Cut(name);
  }

  /** @throws FencedError when another record has the place */
  #decide(record: ChangeRecord): void {
    const decided = this.#decided.get(record.shard) ?? [];
    const there = decided[record.lsn - 1];
    if (there === undefined && decided.length === record.lsn - 1) {
      this.#decided.set(record.shard, [...decided, structuredClone(record)]);
      this.#keep(record);
    } else if (there === undefined || recordHash(there) !== recordHash(record)) {
      throw new FencedError(`Record ${record.lsn} of shard ${record.shard} is another one.`);
    }
  }

  #keep(record: ChangeRecord): void {
    const name = `${record.shard} ${record.lsn}`;
    const kept = this.#records.get(name) ?? [];
    kept.push({ hash: recordHash(record), prevHash: record.prevHash });
    this.#records.set(name, kept);
  }
}

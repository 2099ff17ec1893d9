import { type ChangeRecord, recordHash, type ShardLog } from '#actors/log/shard-log.ts';
import type { HostStore } from '#actors/store/host-store.ts';
import type { WriteTransactions } from '#actors/store/write-transaction.ts';
import { never, type SimulatedProcess } from './process.ts';

/** The process was cut off in the middle of a step. */
export class Cut extends Error {
  override readonly name = 'Cut';
}

/** Ways to make a host that breaks its promises: the invariants must see each. */
export type Sabotage = 'no-inbox' | 'forgets-commits' | 'forgets-effects';

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
  const faulty: Pick<WriteTransactions, 'begin' | 'apply' | 'commit' | 'rollback'> = {
    begin() {
      at('begin');
      transactions.begin();
    },
    apply(change) {
      at(`apply ${change.table}`);
      if (sabotage === 'forgets-effects' && change.table === 'outbox' && change.op === 'insert') return;
      transactions.apply(change);
    },
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
    ...(sabotage === 'no-inbox' && { answered: () => null }),
    transactions: faulty as WriteTransactions,
  };
}

/** Every record that was appended, by shard and lsn; a record whose commit failed is appended again. */
export class LogWatch {
  readonly #records = new Map<string, { hash: string; prevHash: string }[]>();

  /** A log that answers at once, or as a replicated one does, after a while. */
  logFor(process: SimulatedProcess, watch: StepWatch, delay: (() => number) | null): ShardLog {
    return {
      append: (record) => {
        watch.step(process, 'append');
        if (!process.alive) throw new Cut('append');
        this.#keep(record);
        watch.step(process, 'appended');
        if (!process.alive) throw new Cut('appended');
        if (delay === null) return;
        return process.alive ? new Promise((resolve) => process.clock.schedule(delay(), resolve)) : never();
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

  #keep(record: ChangeRecord): void {
    const name = `${record.shard} ${record.lsn}`;
    const kept = this.#records.get(name) ?? [];
    kept.push({ hash: recordHash(record), prevHash: record.prevHash });
    this.#records.set(name, kept);
  }
}

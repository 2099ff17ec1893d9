import type { HostStore } from '#actors/store/host-store.ts';
import type { WriteTransactions } from '#actors/store/write-transaction.ts';
import type { SimulatedProcess } from './process.ts';

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
  /** Something is durable by now. */
  committed(): void;
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
  const faulty: Pick<WriteTransactions, 'begin' | 'apply' | 'advance' | 'probe' | 'commit' | 'rollback'> = {
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
    probe: () => transactions.probe(),
    commit() {
      at('commit');
      commits++;
      if (sabotage === 'forgets-commits' && commits % 10 === 0) transactions.rollback();
      else transactions.commit();
      watch.committed();
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

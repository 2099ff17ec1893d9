import { type ChangeRecord, FencedError, NotAppendedError, recordHash, type ShardLog } from '#actors/log/shard-log.ts';
import { Cut, type StepWatch } from './faulty-store.ts';
import type { SimulatedProcess } from './process.ts';
import type { Random } from './random.ts';
import type { Trace } from './trace.ts';
import type { VirtualTime } from './virtual-time.ts';

/** What becomes of one append to a replicated log. `late`: it gets there after its owner has given up waiting. */
export type Delivery = 'answers' | 'loses the answer' | 'loses the record' | 'refuses' | 'late';

/** How likely each is, of a log that is not well. */
export const unwell: Partial<Record<Delivery, number>> = {
  answers: 88,
  'loses the answer': 5,
  'loses the record': 3,
  refuses: 2,
  late: 2,
};

/** A record or an answer is on its way so long at most, in ms. */
const longestWay = 15;
/** A late record comes so much later at most, in ms. */
const latest = 4_000;

export interface ShardLogsOptions {
  time: VirtualTime;
  random: Random;
  trace: Trace;
  /** Whether a process reaches the replicated log. */
  reaches(process: SimulatedProcess): boolean;
  /** The log has a takeover of a shard. */
  taken(process: SimulatedProcess, shard: number): void;
  /** An owner hears from the log that it is none any more. */
  fenced(process: SimulatedProcess, shard: number): void;
}

/** What is kept of a record that was appended. */
interface Appended {
  hash: string;
  prevHash: string;
  /** The shard's own time that it stores, in ms. */
  ownTime: number;
  /** When it was appended first, virtual time in ms. */
  at: number;
}

/** The logs of a world: they outlive every process, and see that what was appended is what is stored. */
export class ShardLogs {
  /** How likely what becomes of an append. */
  deliveries: Partial<Record<Delivery, number>> = { answers: 1 };
  /** How likely a reader of the replicated log gets no further than some time ago. */
  staleTails = 0;
  /** What nobody may see of a log. */
  readonly problems: string[] = [];
  readonly #options: ShardLogsOptions;
  /** By shard and lsn; a local record whose commit failed is appended again, as another one. */
  readonly #records = new Map<string, Appended[]>();
  /** What the replicated log holds of each shard. */
  readonly #decided = new Map<number, ChangeRecord[]>();
  /** Hashes of records that are on their way, unknown to their owners. */
  readonly #late = new Set<string>();
  /** Virtual time of the beginning, in ms. */
  readonly #since: number;

  constructor(options: ShardLogsOptions) {
    this.#options = options;
    this.#since = options.time.now();
  }

  /** A log whose commit is the append. */
  local(process: SimulatedProcess, watch: StepWatch): ShardLog {
    return {
      replicated: false,
      append: (record) => {
        step(process, watch, 'append');
        this.#keep(record);
        step(process, watch, 'appended');
      },
      tail: () => Promise.resolve([]),
    };
  }

  /** The log that all nodes share, as one process sees it: it answers after a while, or not at all. */
  replicated(process: SimulatedProcess, watch: StepWatch): ShardLog {
    return {
      replicated: true,
      append: async (record) => {
        step(process, watch, 'append');
        const delivery = this.#deliveryOf(process, record);
        if (delivery !== 'answers') this.#options.trace.note('log', `${process.name} ${record.lsn} ${delivery}`);
        await this.#way(process);
        if (delivery === 'refuses') throw new NotAppendedError('the log is full');
        if (delivery === 'late') this.#decideLate(process, record);
        else if (delivery !== 'loses the record') this.#decideOrFence(process, record);
        step(process, watch, 'appended');
        await this.#way(process);
        if (delivery !== 'answers') throw new Error('no answer in time');
      },
      tail: async (shard, after) => {
        await this.#way(process);
        if (!this.#options.reaches(process)) throw new Error('no answer in time');
        const { random } = this.#options;
        const missing = random.chance(this.staleTails) ? random.int(4) : 0;
        return structuredClone(this.held(shard).slice(after, this.held(shard).length - missing));
      },
    };
  }

  /** The records of a shard in the replicated log, oldest first. */
  held(shard: number): readonly ChangeRecord[] {
    return this.#decided.get(shard) ?? [];
  }

  /** What is wrong with the chain that ends at a shard's stored row. */
  chainProblems(shard: { shard: number; lsn: number; hash: string }): string[] {
    const chain: Appended[] = [];
    let wanted = shard.hash;
    for (let lsn = shard.lsn; lsn > 0; lsn--) {
      const record = this.#records.get(`${shard.shard} ${lsn}`)?.find(({ hash }) => hash === wanted);
      if (record === undefined) return [`shard ${shard.shard}: no appended record ${lsn} has the hash ${wanted}`];
      chain.unshift(record);
      wanted = record.prevHash;
    }
    if (wanted !== '') return [`shard ${shard.shard}: the first record names the one before it as ${wanted}`];
    return ownTimeProblems(chain, this.#since).map((problem) => `shard ${shard.shard}: ${problem}`);
  }

  #deliveryOf(process: SimulatedProcess, record: ChangeRecord): Delivery {
    if (!this.#options.reaches(process)) return 'loses the record';
    const delivery = this.#options.random.weighted<Delivery>(this.deliveries);
    // Nobody can promise that a record will not get there which is on its way.
    return delivery === 'refuses' && this.#late.has(recordHash(record)) ? 'loses the record' : delivery;
  }

  #way(process: SimulatedProcess): Promise<void> {
    return new Promise((resolve) => process.clock.schedule(this.#options.random.int(longestWay), resolve));
  }

  /** Nobody hears what comes of it. */
  #decideLate(process: SimulatedProcess, record: ChangeRecord): void {
    const { time, random } = this.#options;
    const copy = structuredClone(record);
    const hash = recordHash(copy);
    this.#late.add(hash);
    time.after(random.int(latest), () => {
      this.#late.delete(hash);
      try {
        this.#decide(process, copy);
      } catch (error) {
        if (!(error instanceof FencedError)) throw error;
      }
    });
  }

  /** @throws FencedError as the log says it to an owner */
  #decideOrFence(process: SimulatedProcess, record: ChangeRecord): void {
    try {
      this.#decide(process, record);
    } catch (error) {
      this.#options.fenced(process, record.shard);
      throw error;
    }
  }

  /** @throws FencedError when another record has the place, or it is further on */
  #decide(process: SimulatedProcess, record: ChangeRecord): void {
    const held = this.held(record.shard);
    const there = held[record.lsn - 1];
    if (there === undefined && held.length === record.lsn - 1) this.#add(process, record);
    else if (there === undefined || recordHash(there) !== recordHash(record)) {
      throw new FencedError(`Record ${record.lsn} of shard ${record.shard} is another one.`);
    }
  }

  #add(process: SimulatedProcess, record: ChangeRecord): void {
    const held = this.held(record.shard);
    const last = held.at(-1);
    if (last !== undefined && !follows(record, last)) {
      this.problems.push(`record ${record.lsn} of shard ${record.shard} does not follow on the one before it`);
    }
    this.#decided.set(record.shard, [...held, structuredClone(record)]);
    this.#keep(record);
    if (record.owner !== undefined) this.#options.taken(process, record.shard);
  }

  #keep(record: ChangeRecord): void {
    const name = `${record.shard} ${record.lsn}`;
    const kept = this.#records.get(name) ?? [];
    const { prevHash, position } = record;
    kept.push({ hash: recordHash(record), prevHash, ownTime: position.time, at: this.#options.time.now() });
    this.#records.set(name, kept);
  }
}

/** A takeover raises the epoch, nothing else does; and nothing that counts ever goes back. */
function follows(record: ChangeRecord, last: ChangeRecord): boolean {
  const { next_key, next_position, horizon, time } = last.position;
  const goesOn =
    record.position.next_key >= next_key &&
    record.position.next_position >= next_position &&
    record.position.horizon >= horizon &&
    record.position.time >= time;
  const epoch = last.epoch + (record.owner === undefined ? 0 : 1);
  return goesOn && record.prevHash === recordHash(last) && record.epoch === epoch;
}

/**
 * A shard's own time never goes back, and makes up for what it has missed at twice the pace at most, whatever clocks
 * show.
 */
function ownTimeProblems(chain: readonly Appended[], since: number): string[] {
  const problems: string[] = [];
  // It was told after the record before the one that stores it was appended, and before that one itself was.
  let stored = 0;
  let toldAfter = since;
  for (const [i, { ownTime, at }] of chain.entries()) {
    if (ownTime === stored) continue;
    const went = ownTime - stored;
    const passed = at - toldAfter;
    // It begins with what the clock shows, and is stored in whole milliseconds.
    const isWell = stored === 0 || (went >= 0 && went <= 2 * passed + 1);
    if (!isWell) problems.push(`its own time went on by ${went} ms in ${passed} ms`);
    stored = ownTime;
    toldAfter = chain[i - 1]?.at ?? since;
  }
  return problems;
}

function step(process: SimulatedProcess, watch: StepWatch, name: string): void {
  if (process.alive) watch.step(process, name);
  if (!process.alive) throw new Cut(name);
}

import { namespaces } from '../ids.ts';
import { type ForgetTurns, turnForgetter } from '../journal/prune.ts';
import { RowDigests } from '../journal/row-digest.ts';
import type { Clock } from '../ports.ts';
import type { HostStore } from '../store/host-store.ts';
import { type Change, keysPerShard } from '../store/table.ts';
import { bases, deadLetters, type DeadLetterRow, type MarkRow, marks } from '../store/tables.ts';
import { uuidV5 } from '../uuid.ts';
import type { Activations } from './activation.ts';
import type { ActorAddress, Envelope } from './envelope.ts';
import { Followers } from './followers.ts';
import type { AnyKind } from './kind.ts';
import { OwnTime } from './own-time.ts';
import { runtimeCommands } from './runtime-commands.ts';
import type { Shard } from './shard.ts';

/** How long is kept, in ms: `journal`, and what kinds name (`deliveries`). What is absent is kept for good. */
export type RetentionPolicy = { [period: string]: number | undefined };

export interface RetentionOptions {
  store: HostStore;
  kinds: readonly AnyKind[];
  policy: RetentionPolicy;
  clock: Clock;
  activations: Activations;
}

/** What a round of one shard is to write, and whom it asks to prune itself. */
export interface PruningRound {
  changes: Change[];
  commands: Envelope[];
  /** The next round should be soon. */
  more: boolean;
}

/** What a look at old turns came to. */
interface ForgottenTurns {
  changes: Change[];
  farewells: Envelope[];
  more: boolean;
}

const nothingOld: ForgottenTurns = { changes: [], farewells: [], more: false };

/** A mark is made this often, in ms of the shard's own time, or sixteen times in the shortest period. */
const longestMarkEvery = 60 * 60_000;
const marksInPeriod = 16;
/** The own time is stored with other changes, and by itself this often between two marks: what a restart may lose of it. */
const storesInMark = 12;
/** Dead letters that go in one round: an envelope may be large. */
const lettersAtOnce = 32;
/** How long a command that prunes may wait, in ms. */
const patience = 60_000;

/**
 * Forgets what is older than the policy keeps. Age is counted in the shard's own time, by marks: a wall clock that jumps
 * deletes nothing. The journal is cut by a change record; rows of actors go by commands to those actors.
 */
export class Retention {
  readonly #options: RetentionOptions;
  readonly #forgetTurns: ForgetTurns;
  readonly #followers: Followers;
  /** Of the tables that retention itself writes. */
  readonly #digests: RowDigests;
  /** Something has a period. */
  readonly #isTimed: boolean;
  readonly #markEvery: number;
  readonly #storeEvery: number;
  /** While another node owns a shard, its time is that one's: it is read anew when the shard is taken again. */
  readonly #times = new WeakMap<Shard, OwnTime>();
  /** Where the turn begins that a position belongs to: it goes as a whole. */
  readonly #turnOf: (shard: number, position: number) => number;
  readonly #marksOf: (shard: number) => MarkRow[];
  readonly #mended: (shard: number, before: number) => DeadLetterRow[];
  readonly #prunable: { kind: AnyKind; actors(shard: number, before: number): string[] }[];

  constructor(options: RetentionOptions) {
    const { store, kinds, policy } = options;
    this.#options = options;
    this.#forgetTurns = turnForgetter(store, kinds);
    this.#followers = new Followers(store, kinds);
    this.#digests = store.prepare((db) => new RowDigests(db, [bases, marks]));
    const periods = Object.values(policy).filter((period) => period !== undefined);
    this.#isTimed = periods.length > 0;
    this.#markEvery = Math.min(longestMarkEvery, ...periods.map((period) => period / marksInPeriod));
    this.#storeEvery = this.#markEvery / storesInMark;
    const ofShard = store.prepare((db) => marks.query(db, 'WHERE key >= ? AND key < ? ORDER BY key'));
    this.#marksOf = (shard) => ofShard.all(shard * keysPerShard, (shard + 1) * keysPerShard);
    const mended = store.prepare((db) =>
      deadLetters.query(
        db,
        `WHERE key >= ? AND key < ? AND redriven_at IS NOT NULL ORDER BY key LIMIT ${lettersAtOnce}`,
      ),
    );
    this.#mended = (shard, before) => mended.all(shard * keysPerShard, shard * keysPerShard + before);
    const turnAt = store.prepare((db) =>
      db.prepare('SELECT max(key) FROM journal WHERE key >= ? AND key <= ?').pluck(),
    );
    this.#turnOf = (shard, position) => {
      const base = shard * keysPerShard;
      return ((turnAt.get(base, base + position) as number | null) ?? base) - base;
    };
    this.#prunable = kinds.flatMap((kind) => {
      const { pruning } = kind;
      return pruning === undefined ? [] : [{ kind, actors: store.prepare((db) => pruning.actors(db)) }];
    });
  }

  /** Reads inside the transaction that the changes will be part of. */
  round(shard: Shard): PruningRound {
    const kept = this.#marksOf(shard.number);
    const at = this.#timeOf(shard).tick(this.#options.clock);
    const { changes, farewells, more } = this.#isTimed ? this.#forgetOld(shard, kept, at) : nothingOld;
    shard.counters.account(this.#digests.changesOf(changes.filter((change) => bases.is(change) || marks.is(change))));
    if (changes.length > 0 || (this.#isTimed && at - shard.counters.mark().time >= this.#storeEvery))
      shard.counters.passTo(at);
    // What nobody needs, such as the deliveries of a subscription that was deleted, goes whatever the policy.
    const commands = [...farewells, ...this.#letters(shard, kept, at), ...this.#commands(shard, kept, at)];
    return { changes, commands, more: more || commands.length > 0 };
  }

  #forgetOld(shard: Shard, kept: MarkRow[], at: number): ForgottenTurns {
    const changes: Change[] = [];
    if (at - (kept.at(-1)?.at ?? Number.NEGATIVE_INFINITY) >= this.#markEvery) {
      const { next_key, next_position } = shard.counters.mark();
      changes.push(marks.insert({ key: shard.counters.takeKey(), at, next_key, next_position }));
    }
    const mark = markBefore(kept, at, this.#options.policy['journal']);
    const { upTo, farewells } = this.#agreed(shard, mark);
    const more = this.#forget(shard, upTo, changes);
    changes.push(...this.#oldMarks(kept, at));
    return { changes, farewells, more };
  }

  /** What is old enough to go, as far as all who follow have read or counted it, and those who have to count more. */
  #agreed(shard: Shard, mark: MarkRow | null): { upTo: number; farewells: Envelope[] } {
    const { horizon } = shard.counters.mark();
    if (mark === null || mark.next_position <= horizon) return { upTo: horizon, farewells: [] };
    const behind = this.#followers.behind(shard.number, mark.next_position);
    return {
      upTo: Math.min(mark.next_position, ...behind.map(({ at }) => this.#turnOf(shard.number, at + 1))),
      farewells: behind.map(({ kind, id, command, at, body }) =>
        this.#envelope({ kind, id }, command, body, `${shard.number} ${mark.next_position} ${at}`),
      ),
    };
  }

  #forget(shard: Shard, upTo: number, changes: Change[]): boolean {
    const { activations } = this.#options;
    const base = shard.number * keysPerShard;
    const { horizon } = shard.counters.mark();
    if (upTo <= horizon) return false;
    const forgetting = this.#forgetTurns(base + horizon, base + upTo);
    changes.push(...forgetting.changes);
    shard.counters.account(forgetting.rows);
    shard.counters.raiseHorizon(forgetting.horizon);
    for (const { kind, id } of forgetting.forgotten) activations.drop(kind, id);
    return forgetting.more;
  }

  /** Marks that no period needs: the newest one that is old enough for the longest of them says all that older ones do. */
  #oldMarks(kept: MarkRow[], at: number): Change[] {
    const periods = Object.values(this.#options.policy).filter((period) => period !== undefined);
    const needed = markBefore(kept, at, Math.max(...periods));
    return needed === null ? [] : kept.filter(({ key }) => key < needed.key).map(({ key }) => marks.remove(key));
  }

  /** Dead letters that were mended go with the journal. One that was not is kept: nobody else has its command. */
  #letters(shard: Shard, kept: MarkRow[], at: number): Envelope[] {
    const mark = markBefore(kept, at, this.#options.policy['journal']);
    if (mark === null) return [];
    return this.#mended(shard.number, mark.next_key).map(({ actor_kind: kind, actor_id: id, command_id: commandId }) =>
      this.#envelope({ kind, id }, runtimeCommands.forgetLetter, { commandId }, `letter ${commandId}`),
    );
  }

  #commands(shard: Shard, kept: MarkRow[], at: number): Envelope[] {
    return this.#prunable.flatMap(({ kind, actors }) => {
      const { period, command } = kind.pruning!;
      const mark = markBefore(kept, at, this.#options.policy[period]);
      const before = shard.number * keysPerShard + (mark?.next_key ?? 0);
      return actors(shard.number, before).map((id) =>
        this.#envelope({ kind: kind.name, id }, command, { before }, String(shard.counters.turn)),
      );
    });
  }

  /** @param turn tells this command from others of the actor */
  #envelope(actor: ActorAddress, type: string, body: unknown, turn: string): Envelope {
    const now = this.#options.clock.now();
    return {
      commandId: uuidV5(namespaces.command, 'prune', actor.id, turn),
      ...{ actor, type, body, now },
      deadline: now + patience,
      cause: 'retention',
    };
  }

  #timeOf(shard: Shard): OwnTime {
    let time = this.#times.get(shard);
    if (time === undefined) {
      time = new OwnTime(shard.counters.mark().time || this.#options.clock.now(), this.#options.clock);
      this.#times.set(shard, time);
    }
    return time;
  }
}

/** The newest mark that is at least `age` ms old; null without one, or when nothing is to be forgotten. */
function markBefore(kept: readonly MarkRow[], at: number, age: number | undefined): MarkRow | null {
  if (age === undefined) return null;
  return kept.findLast((mark) => mark.at <= at - age) ?? null;
}

import type { HostStore } from '../store/host-store.ts';
import type { AnyKind, PassedPositions, Lagging } from './kind.ts';

/** What an actor is to be told before the journal is cut. */
export interface Farewell extends Lagging {
  kind: string;
  command: string;
  body: PassedPositions;
}

/** Rounds in which nobody moves after which nobody is waited for: an actor that can not go on must not stop retention. */
const mostRounds = 500;

/** The actors that follow the feed: none is passed by retention without being told. */
export class Followers {
  readonly #rules: { kind: string; command: string; lagging(shard: number, before: number): Lagging[] }[];
  /** For each shard, where those stood together that were told last, and in how many rounds. */
  readonly #told = new Map<number, { at: number; rounds: number }>();

  constructor(store: Pick<HostStore, 'prepare'>, kinds: readonly AnyKind[]) {
    this.#rules = kinds.flatMap(({ name, following }) =>
      following === undefined
        ? []
        : [{ kind: name, command: following.command, lagging: store.prepare((db) => following.lagging(db)) }],
    );
  }

  /** Whom retention waits for before it forgets positions of a shard below one. */
  behind(shard: number, before: number): Farewell[] {
    const all = this.#rules.flatMap(({ kind, command, lagging }) =>
      lagging(shard, before).map((actor) => ({ ...actor, kind, command, body: { shard, before } })),
    );
    const at = all.reduce((sum, actor) => sum + actor.at, 0);
    const told = this.#told.get(shard);
    const rounds = told?.at === at ? told.rounds + 1 : 0;
    if (all.length === 0) this.#told.delete(shard);
    else this.#told.set(shard, { at, rounds });
    return rounds < mostRounds ? all : [];
  }
}

import { type MachineId, registry } from '#machines/registry.ts';
import { initial, restore, type Snapshot, stepSnapshot } from '#machines/step.ts';
import type { AnyKind } from '../runtime/kind.ts';
import type { HostStore } from '../store/host-store.ts';
import type { Change } from '../store/table.ts';
import { bases, type BaseRow, journal, type JournalRow } from '../store/tables.ts';
import { migrated, type RowChange, type Step, unpackEvents, unpackRows, unpackSteps } from './turn.ts';

/** What forgetting a piece of the journal takes. */
export interface Forgetting {
  changes: Change[];
  /** The key that the journal begins with afterwards. */
  horizon: number;
  /** Actors whose rows go with their last turns. */
  forgotten: { kind: string; id: string }[];
  /** What the forgotten turns had made of rows besides their actors' own. */
  rows: RowChange[];
  /** There is more to forget before the cut. */
  more: boolean;
}

/** Turns that are forgotten at once: a few milliseconds. */
const turnsAtOnce = 128;

/** Forgets the oldest turns of a shard, from key `from` up to `cut`, or as many as go at once. */
export type ForgetTurns = (from: number, cut: number) => Forgetting;

/**
 * Forgets turns. What is kept of a subject starts from a base: the state, chain and numbers right before its oldest turn
 * that is still there, written by the record that deletes the others.
 */
export function turnForgetter(store: HostStore, kinds: readonly AnyKind[]): ForgetTurns {
  const rowsOf = new Map(kinds.map((kind) => [kind.name, rowsOfKind(store, kind)]));
  return (from, cut) => {
    const rows = store.turns(from, cut, turnsAtOnce + 1);
    const gone = rows.slice(0, turnsAtOnce);
    const horizon = rows[turnsAtOnce]?.key ?? cut;
    const subjects = new Subjects(store);
    for (const row of gone) subjects.pass(row);
    const forgotten: Forgetting['forgotten'] = [];
    const changes: Change[] = [journal.cut(from, horizon)];
    for (const base of subjects.all()) {
      const { kind, actor, isOwned } = rowsOf.get(base.kind)!;
      const stored = base.row.key === base.row.actor ? actor(base.row.key) : null;
      if (kind.transient && stored !== null && stored.lastTurn < horizon) {
        forgotten.push({ kind: kind.name, id: stored.id });
        changes.push(kind.table.remove(base.row.key));
        if (base.stored) changes.push(bases.remove(base.row.key));
      } else if (stored !== null || isOwned(base.machine, base.row.key)) {
        changes.push(base.stored ? bases.update(base.row.key, base.row) : bases.insert(base.row));
      }
    }
    // What was erased of turns counts for nothing: they go themselves.
    const made = gone.flatMap((row) => unpackRows(row.rows).others).filter(({ table }) => table !== journal.name);
    return { changes, horizon, forgotten, rows: made, more: horizon < cut };
  };
}

/** What there is of the subjects of a kind. */
interface RowsOfKind {
  kind: AnyKind;
  actor(key: number): { id: string; lastTurn: number } | null;
  /** Whether the row whose machine was stepped still exists: what was pruned itself needs no base. */
  isOwned(machine: MachineId | null, key: number): boolean;
}

function rowsOfKind(store: HostStore, kind: AnyKind): RowsOfKind {
  const byKey = store.prepare((db) => kind.table.query(db, 'WHERE key = ?'));
  const owned = new Map(
    (kind.owned ?? []).map(({ machine, table }) => [
      machine,
      store.prepare((db) => db.prepare(`SELECT 1 FROM ${table.name} WHERE key = ?`)),
    ]),
  );
  return {
    kind,
    actor(key) {
      const row = byKey.get(key);
      return row === null ? null : { id: row.id, lastTurn: row.last_turn };
    },
    isOwned: (machine, key) => machine !== null && owned.get(machine)?.get(key) !== undefined,
  };
}

interface PassedBase {
  kind: string;
  machine: MachineId | null;
  row: BaseRow;
  /** There is a row of it in the file. */
  stored: boolean;
}

/** The states of subjects, moved over the turns that go. */
class Subjects {
  readonly #store: HostStore;
  readonly #bases = new Map<number, PassedBase & { snapshot: Snapshot | null }>();

  constructor(store: HostStore) {
    this.#store = store;
  }

  pass(row: JournalRow): void {
    // A refused command is in nobody's chain.
    if (row.actor === 0) return;
    const actor = this.#of(row, row.actor);
    for (const step of unpackSteps(row.steps)) this.#step(row, step);
    actor.row.chain = row.hash;
    actor.row.row = unpackRows(row.rows).own;
    actor.row.turns = (actor.row.turns ?? 0) + 1;
    actor.row.seq = unpackEvents(row.events).at(-1)?.seq ?? actor.row.seq ?? 0;
  }

  *all(): Iterable<PassedBase> {
    for (const { snapshot, ...base } of this.#bases.values()) {
      if (snapshot !== null) {
        base.row.value = JSON.stringify(snapshot.value);
        base.row.context = JSON.stringify(snapshot.context);
      }
      yield base;
    }
  }

  #step(row: JournalRow, step: Step): void {
    const base = this.#of(row, step.subject === 0 ? row.actor : step.subject);
    base.machine = step.machine;
    if (step.version === registry[step.machine].version) {
      base.snapshot = stepped(base.snapshot ?? this.#live(step, base), step);
    } else {
      // An older version can not be run again: what follows it begins with a migration, which carries its state.
      Object.assign(base, { snapshot: null, row: { ...base.row, value: 'null', context: 'null' } });
    }
    base.row.revision = step.revision;
    base.row.machine_version = step.version;
  }

  /** The state before a step. */
  #live({ machine, version }: Step, { row, stored }: PassedBase): Snapshot {
    if (!stored || row.machine_version !== version) return initial(machine).snapshot;
    return restore(machine, { value: JSON.parse(row.value) as unknown, context: JSON.parse(row.context) as unknown });
  }

  #of({ kind, actor }: JournalRow, key: number): PassedBase & { snapshot: Snapshot | null } {
    let base = this.#bases.get(key);
    if (base === undefined) {
      const stored = this.#store.base(key);
      const none = {
        revision: 0,
        machine_version: 0,
        value: 'null',
        context: 'null',
        chain: null,
        turns: null,
        seq: null,
        row: null,
      };
      const row = stored ?? { key, actor, ...none };
      base = { kind, machine: null, row, stored: stored !== null, snapshot: null };
      this.#bases.set(key, base);
    }
    return base;
  }
}

/** A step taken again. One that a migration took carries its result; the first one of a machine is its initial state. */
export function stepped(snapshot: Snapshot, { machine, event }: Pick<Step, 'machine' | 'event'>): Snapshot {
  if (event.type === 'xstate.init') return initial(machine).snapshot;
  if (event.type === migrated) return restore(machine, event as unknown as { value: unknown; context: unknown });
  return stepSnapshot(machine, snapshot, event as never).snapshot;
}

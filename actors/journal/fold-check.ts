import { type MachineId, registry } from '#machines/registry.ts';
import { initial, restore, type Snapshot } from '#machines/step.ts';
import type { OwnedState } from '../runtime/kind.ts';
import type { ActorRow, BaseRow } from '../store/tables.ts';
import { stepped } from './prune.ts';
import { migrated, stateHash, type Step } from './turn.ts';

/** A machine as its kept steps leave it. */
interface Folded {
  snapshot: Snapshot | null;
  revision: number;
}

/** Checks that the kept steps of every state machine follow on each other and fold to its stored state. */
export class FoldCheck {
  readonly #bases: ReadonlyMap<number, BaseRow>;
  readonly #problem: (text: string) => void;
  readonly #machines = new Map<number, Folded>();

  constructor(bases: ReadonlyMap<number, BaseRow>, problem: (text: string) => void) {
    this.#bases = bases;
    this.#problem = problem;
  }

  /** Takes in a step of a turn; steps are told in their order. */
  step(turn: string, actor: number, step: Step): void {
    const { machine } = step;
    const subject = step.subject === 0 ? actor : step.subject;
    const folded = this.#machineOf(subject, machine);
    if (step.revision !== folded.revision + 1) {
      this.#problem(`${turn}: step ${step.revision} of ${machine} ${subject} follows on ${folded.revision}`);
    }
    folded.revision = step.revision;
    // Older versions of a machine can not be run again: what follows them begins with a migration.
    if (step.version !== registry[machine].version) {
      folded.snapshot = null;
      return;
    }
    if (folded.snapshot === null && step.event.type !== migrated) return;
    folded.snapshot = stepped(folded.snapshot ?? initial(machine).snapshot, step);
    if (hashOf(folded.snapshot) !== step.hash) {
      this.#problem(`${turn}: step ${step.revision} of ${machine} ${subject} folds to another state`);
    }
  }

  /** The state of an actor's own machine, once all steps were told. */
  actor(name: string, row: ActorRow, machine: MachineId): void {
    const { key, revision, machine_version: version, value, context } = row;
    this.#compare(name, this.#machineOf(key, machine), machine, { revision, version, hash: stateHash(value, context) });
  }

  /** The state of a machine that a row has. */
  owned(name: string, key: number, machine: MachineId, state: OwnedState): void {
    const { value, context, revision, machineVersion: version } = state;
    const hash = stateHash(JSON.stringify(value), JSON.stringify(context));
    this.#compare(name, this.#machineOf(key, machine), machine, { revision, version, hash });
  }

  #compare(
    name: string,
    { snapshot, revision }: Folded,
    machine: MachineId,
    stored: { revision: number; version: number; hash: string },
  ): void {
    if (revision !== stored.revision) this.#problem(`${name}: ${stored.revision} steps, the journal knows ${revision}`);
    const isCurrent = stored.version === registry[machine].version;
    if (isCurrent && snapshot !== null && hashOf(snapshot) !== stored.hash) {
      this.#problem(`${name}: its steps fold to another state than stored`);
    }
  }

  #machineOf(subject: number, machine: MachineId): Folded {
    let folded = this.#machines.get(subject);
    if (folded === undefined) {
      const base = this.#bases.get(subject);
      folded = { snapshot: snapshotOf(machine, base), revision: base?.revision ?? 0 };
      this.#machines.set(subject, folded);
    }
    return folded;
  }
}

const hashOf = ({ value, context }: Snapshot): string => stateHash(JSON.stringify(value), JSON.stringify(context));

function snapshotOf(machine: MachineId, base: BaseRow | undefined): Snapshot | null {
  if (base === undefined || base.machine_version === 0) return initial(machine).snapshot;
  if (base.machine_version !== registry[machine].version) return null;
  return restore(machine, { value: JSON.parse(base.value) as unknown, context: JSON.parse(base.context) as unknown });
}

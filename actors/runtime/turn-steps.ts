import { migrate } from '#machines/migrate.ts';
import { type MachineId, registry } from '#machines/registry.ts';
import { restore, type Snapshot } from '#machines/step.ts';
import { migrated, packSteps, stateHash, type Step } from '../journal/turn.ts';
import type { OwnedState } from './kind.ts';

/** The steps that a turn makes, as the journal keeps them. */
export class TurnSteps {
  readonly #steps: Step[] = [];

  get isEmpty(): boolean {
    return this.#steps.length === 0;
  }

  /** Whether the actor's own machine was stepped. */
  get haveMovedActor(): boolean {
    return this.#steps.some(({ subject }) => subject === 0);
  }

  /** As the journal's column holds them. */
  packed(): string | null {
    return packSteps(this.#steps);
  }

  /**
   * @param subject 0: the actor's own machine, else the key of the row whose machine it is
   * @param revision that the step leads to
   * @param before JSON of the value before it; null: there was none
   * @param value JSON, as `context`: after it
   */
  keep(
    machine: MachineId,
    subject: number,
    revision: number,
    event: { type: string },
    before: string | null,
    value: string,
    context: string,
  ): void {
    this.#steps.push({
      machine,
      subject,
      revision,
      version: registry[machine].version,
      event,
      value: value === before ? null : JSON.parse(value),
      hash: stateHash(value, context),
    });
  }

  /**
   * A stored state, live. One of an older version of its machine is migrated, which is a step of its own: a fold can not
   * run the older version again, and goes on from the state that the step carries.
   * @returns the snapshot, and how many steps that took
   */
  restored(machine: MachineId, subject: number, stored: OwnedState): [Snapshot, 0 | 1] {
    if (stored.machineVersion === registry[machine].version) return [restore(machine, stored), 0];
    const { value, context } = migrate(machine, stored);
    const event = { type: migrated, value, context };
    this.keep(machine, subject, stored.revision + 1, event, null, JSON.stringify(value), JSON.stringify(context));
    return [restore(machine, { value, context }), 1];
  }
}

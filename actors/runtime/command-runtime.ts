import { hash } from 'node:crypto';
import { type MachineId, registry } from '#machines/registry.ts';
import { initial, restore, type StepResult, stepSnapshot } from '#machines/step.ts';
import type { EventType, JsonObject } from '../representation.ts';
import type { ActorReads } from '../store/actor-reads.ts';
import type { Change } from '../store/tables.ts';
import type { ActiveActor } from './activation.ts';
import type { OwnedState, Runtime } from './definition.ts';
import type { Envelope } from './envelope.ts';
import type { ShardCounters } from './shard.ts';

/** The hash of a stored state, kept with each step: a fold of the history can be compared with it. */
export const stateHash = (state: { value: unknown; context: unknown }): string =>
  hash('sha256', JSON.stringify([state.value, state.context])).slice(0, 16);

/** One handling of one command: collects what it changes. The batch applies the changes when the handler is through. */
export class CommandRuntime implements Runtime<unknown> {
  readonly changes: Change[] = [];
  readonly reads: ActorReads;
  readonly #actor: ActiveActor;
  readonly #envelope: Envelope;
  readonly #counters: ShardCounters;
  readonly #machine: MachineId | null;
  #touched = false;

  constructor(
    actor: ActiveActor,
    machine: MachineId | null,
    envelope: Envelope,
    reads: ActorReads,
    counters: ShardCounters,
  ) {
    this.#actor = actor;
    this.#machine = machine;
    this.#envelope = envelope;
    this.reads = reads;
    this.#counters = counters;
  }

  get actor(): { readonly key: number; readonly id: string; readonly isNew: boolean } {
    return this.#actor;
  }

  get now(): number {
    return this.#envelope.now;
  }

  get commandId(): string {
    return this.#envelope.commandId;
  }

  get memory(): unknown {
    return this.#actor.memory;
  }

  set memory(memory: unknown) {
    this.#actor.memory = memory;
  }

  get value(): unknown {
    return this.#actor.snapshot?.value ?? null;
  }

  nextKey(): number {
    return this.#counters.takeKey();
  }

  step(event: { type: string }): StepResult {
    const { snapshot } = this.#actor;
    if (this.#machine === null || snapshot === null) throw new Error(`${this.#actor.kind} has no machine to step.`);
    const result = stepSnapshot(this.#machine, snapshot, event);
    if (result.changed) {
      this.#actor.snapshot = result.snapshot;
      this.#actor.revision++;
      this.#record(this.#machine, this.#actor.key, this.#actor.revision, event, snapshot.value, result);
    }
    return result;
  }

  stepOwned(
    machine: MachineId,
    subject: number,
    owned: OwnedState | null,
    event: { type: string } | null,
  ): { result: StepResult; owned: OwnedState } {
    const from = owned === null ? null : restore(machine, owned);
    const result = from === null || event === null ? initial(machine) : stepSnapshot(machine, from, event);
    const revision = (owned?.revision ?? 0) + (result.changed ? 1 : 0);
    if (result.changed) {
      const cause = event ?? { type: 'xstate.init' };
      this.#record(machine, subject, revision, cause, from?.value ?? null, result);
    }
    return {
      result,
      owned: {
        machineVersion: registry[machine].version,
        value: result.value,
        context: result.context,
        revision,
      },
    };
  }

  change(change: Change): void {
    this.changes.push(change);
  }

  emit(type: EventType, payload: JsonObject): void {
    this.#touched = true;
    this.#actor.seq++;
    this.changes.push({
      table: 'feed',
      op: 'insert',
      row: {
        key: this.#counters.takePosition(),
        subject: this.#actor.key,
        seq: this.#actor.seq,
        type,
        timestamp: this.now,
        payload: JSON.stringify(payload),
      },
    });
  }

  /** Adds the actor's own row; called once, when the handler is through. */
  finish(): void {
    if (!this.#touched && !(this.#actor.isNew && this.changes.length > 0)) return;
    const { key, kind, id, revision, seq, snapshot } = this.#actor;
    const row = {
      revision,
      seq,
      machine_version: this.#machine === null ? 0 : registry[this.#machine].version,
      value: JSON.stringify(snapshot?.value ?? null),
      context: JSON.stringify(snapshot?.context ?? null),
    };
    if (this.#actor.isNew) this.changes.push({ table: 'actor', op: 'insert', row: { key, kind, id, ...row } });
    else this.changes.push({ table: 'actor', op: 'update', key, row });
    this.#actor.isNew = false;
  }

  #record(
    machine: MachineId,
    subject: number,
    revision: number,
    event: { type: string },
    from: unknown,
    result: StepResult,
  ): void {
    this.#touched = true;
    this.changes.push({
      table: 'history',
      op: 'insert',
      row: {
        key: this.#counters.takeKey(),
        subject,
        machine,
        revision,
        event: JSON.stringify(event),
        from_value: JSON.stringify(from),
        to_value: JSON.stringify(result.value),
        cause: this.#envelope.cause,
        machine_version: registry[machine].version,
        at: this.now,
        hash: stateHash(result),
      },
    });
    this.#scheduleTimers(subject, result.timers);
  }

  #scheduleTimers(subject: number, timers: StepResult['timers']): void {
    for (const name of timers.cancel) {
      const mine = this.changes.findIndex(
        (change) =>
          change.table === 'timer' &&
          change.op === 'insert' &&
          change.row.subject === subject &&
          change.row.name === name,
      );
      if (mine >= 0) this.changes.splice(mine, 1);
      const timer = this.reads.timer(subject, name);
      if (timer !== null) this.changes.push({ table: 'timer', op: 'delete', key: timer.key });
    }
    for (const { name, delay } of timers.set) {
      this.changes.push({
        table: 'timer',
        op: 'insert',
        row: { key: this.#counters.takeKey(), due: this.now + delay, actor: this.#actor.key, subject, name },
      });
    }
  }
}

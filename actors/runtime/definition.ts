import type { MachineId, StoredState } from '#machines/registry.ts';
import type { StepResult } from '#machines/step.ts';
import type { EventType, JsonObject } from '../representation.ts';
import type { ActorReads } from '../store/actor-reads.ts';
import type { Change } from '../store/tables.ts';
import type { ActorKind } from './envelope.ts';

/** The stored state of a machine that an actor owns besides its own, with the number of its last step. */
export interface OwnedState extends StoredState {
  revision: number;
}

/**
 * What a command handler receives. Nothing it does is visible before the commit; a handler that throws has done
 * nothing. `memory` is what the kind's `load` returned: a handler may change it in place.
 */
export interface Runtime<Memory> {
  readonly actor: { readonly key: number; readonly id: string; readonly isNew: boolean };
  /** Epoch ms at which the command was made. */
  readonly now: number;
  readonly commandId: string;
  readonly reads: ActorReads;
  memory: Memory;
  /** The value of the actor's own machine. */
  readonly value: unknown;
  /** A new key of this shard, in arrival order. */
  nextKey(): number;
  /** Steps the actor's own machine: writes snapshot, history and timers. */
  step(event: { type: string }): StepResult;
  /** Steps a machine of `subject` (a row's key) that this actor owns; `owned` null starts it. The caller stores the result. */
  stepOwned(
    machine: MachineId,
    subject: number,
    owned: OwnedState | null,
    event: { type: string } | null,
  ): { result: StepResult; owned: OwnedState };
  change(change: Change): void;
  /** Records an event of this actor's subject. */
  emit(type: EventType, payload: JsonObject): void;
}

/** Handles one command of a kind. Its return value is the reply's result. @throws Failure an expected refusal */
export type CommandHandler<Memory, Body, Result> = (runtime: Runtime<Memory>, body: Body) => Result;

/** A kind of actor: its machine, its memory and its commands. */
export interface ActorDefinition<Memory = unknown> {
  kind: ActorKind;
  /** Null: the kind has no states of its own. */
  machine: MachineId | null;
  /** Makes the memory of an actor that is activated. `key` names its rows; a new actor has none. */
  load(reads: ActorReads, key: number): Memory;
  // Bodies come over the bus: each handler table is checked against its contract where it is declared.
  handlers: Record<string, CommandHandler<Memory, never, unknown>>;
  /** A durable timer of the actor (`subject` is its key) or of something it owns has fired. */
  onTimer?(runtime: Runtime<Memory>, subject: number, event: { type: string }): void;
}

/** Declares a kind. The runtime hands back as `memory` only what the kind's own `load` made, so its type may be forgotten. */
export const defineActor = <Memory>(definition: ActorDefinition<Memory>): ActorDefinition =>
  definition as unknown as ActorDefinition;

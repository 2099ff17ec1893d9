import { type ActorScope, type AnyMachineSnapshot, type AnyStateMachine, type ContextFrom, createActor } from 'xstate';
import type { AnyEventObject, EventObject, ExecutableActionObject, StateValue } from 'xstate';
import { type EventOf, type MachineId, registry } from './registry.ts';

/** A machine's live state. Immutable: a step makes a new one, so a host may keep it as long as it likes. */
export type Snapshot = AnyMachineSnapshot;

/** The stored half of a snapshot: JSON. */
export interface StateAndContext {
  value: unknown;
  context: unknown;
}

/** A named action of a machine, to be done by the host after the commit. `params` is undefined when it has none. */
export interface Effect {
  type: string;
  params: unknown;
}

/** Send `event` to the machine after `delay` ms, a whole number (rounded up). Setting a name again replaces the earlier timer. */
export interface TimerStart {
  name: string;
  delay: number;
  event: EventObject;
}

/** What one step came to. Everything but `snapshot` is JSON. */
export interface StepResult<Id extends MachineId = MachineId> {
  value: StateValue;
  context: ContextFrom<(typeof registry)[Id]['machine']>;
  /** A transition was taken: one with a target or an action, also when it leads back to the same state. */
  changed: boolean;
  /** In the order of the machine's actions. */
  effects: Effect[];
  /** Cancel first, then set: a name in both is a timer that starts anew. */
  timers: { set: TimerStart[]; cancel: string[] };
  /** Live form of `value` and `context` for the next `stepSnapshot`. */
  snapshot: Snapshot;
}

type Scope = ActorScope<AnyMachineSnapshot, EventObject>;
type Outcome = Pick<StepResult, 'effects' | 'timers'>;

const scopes = new WeakMap<AnyStateMachine, Scope>();

/**
 * The scope of an actor that is never started. XState's own `transition()` makes one for every call, which costs far
 * more than the transition; a machine without children can not tell the difference.
 */
function inertScope(machine: AnyStateMachine): Scope {
  let scope = scopes.get(machine);
  if (!scope) {
    const self = createActor(machine);
    scope = {
      self,
      id: '',
      sessionId: '',
      system: self.system,
      logger: () => {},
      defer: () => {},
      emit: () => {},
      stopChild: () => {},
      actionExecutor: () => {},
    };
    scopes.set(machine, scope);
  }
  return scope;
}

/** Sorts one executed action into effects and timers. Throws at once: a step that throws has changed nothing. */
function collect(outcome: Outcome, action: ExecutableActionObject): void {
  const { set, cancel } = outcome.timers;
  if (action.type === 'xstate.raise') {
    const { event, id, delay } = action.params as { event: EventObject; id?: string; delay?: number };
    // An `after` whose delay is not a number would be raised at once, without waiting.
    if (delay === undefined && !id?.startsWith('xstate.after.')) return;
    if (typeof delay !== 'number' || !Number.isFinite(delay) || delay < 0) {
      throw new Error(`The delay of ${id ?? event.type} must be a number of milliseconds, not ${String(delay)}.`);
    }
    const name = id ?? event.type;
    remove(set, name);
    set.push({ name, delay: Math.ceil(delay), event });
  } else if (action.type === 'xstate.cancel') {
    const { sendId } = action.params as { sendId: string };
    remove(set, sendId);
    if (!cancel.includes(sendId)) cancel.push(sendId);
  } else if (action.type.startsWith('xstate.')) {
    throw new Error(`A machine used ${action.type}: only assign, raise, cancel and named actions can be stored.`);
  } else {
    outcome.effects.push({ type: action.type, params: action.params });
  }
}

function remove(timers: TimerStart[], name: string): void {
  const index = timers.findIndex((timer) => timer.name === name);
  if (index >= 0) timers.splice(index, 1);
}

/** Runs `take` with a scope of its own, so that a step that throws leaves nothing behind for the next one. */
function record(machine: AnyStateMachine, take: (scope: Scope) => Snapshot): Outcome & { snapshot: Snapshot } {
  const outcome: Outcome = { effects: [], timers: { set: [], cancel: [] } };
  const scope = {
    ...inertScope(machine),
    actionExecutor: (action: ExecutableActionObject) => collect(outcome, action),
  };
  return { ...outcome, snapshot: take(scope) };
}

/** As `initial`, of a machine that need not be in the registry. */
export function initialOf(machine: AnyStateMachine): StepResult {
  const { snapshot, ...outcome } = record(machine, (scope) => machine.getInitialSnapshot(scope));
  if (snapshot.status === 'error') throw snapshot.error;
  // The configured context is one object for all actors of the machine: each gets its own.
  const own = restoreOf(machine, snapshot);
  return { value: own.value, context: own.context, changed: true, ...outcome, snapshot: own };
}

/** As `restore`, of a machine that need not be in the registry. */
export function restoreOf(machine: AnyStateMachine, stored: StateAndContext): Snapshot {
  return machine.resolveState({ value: stored.value as StateValue, context: structuredClone(stored.context) });
}

/** As `stepSnapshot`, of a machine that need not be in the registry. */
export function stepOf(machine: AnyStateMachine, snapshot: Snapshot, event: AnyEventObject): StepResult {
  const { snapshot: next, ...outcome } = record(machine, (scope) => machine.transition(snapshot, event, scope));
  const { effects, timers } = outcome;
  const noticed = next !== snapshot || effects.length > 0 || timers.set.length > 0 || timers.cancel.length > 0;
  return {
    value: next.value,
    context: next.context,
    // A transition back to the same state without actions leaves the snapshot as it was: only `can` tells.
    changed: noticed || snapshot.can(event),
    effects,
    timers,
    snapshot: next,
  };
}

/** The first state of a machine with the effects and timers of entering it. `changed` is true. */
export function initial<Id extends MachineId>(machineId: Id): StepResult<Id> {
  return initialOf(registry[machineId].machine) as StepResult<Id>;
}

/**
 * Makes a stored state live. Copies the context. Expects the machine's current version: see `migrate`.
 * @throws Error when the value names a state that the machine does not have
 */
export function restore(machineId: MachineId, stored: StateAndContext): Snapshot {
  return restoreOf(registry[machineId].machine, stored);
}

/**
 * The pure step from a live snapshot: the same snapshot and event always give the same result. An event that the
 * state does not know changes nothing and is no error.
 * @throws Error when a guard, an assignment or a delay of the machine fails; the snapshot is as good as before
 */
export function stepSnapshot<Id extends MachineId>(
  machineId: Id,
  snapshot: Snapshot,
  event: EventOf<Id>,
): StepResult<Id> {
  return stepOf(registry[machineId].machine, snapshot, event) as StepResult<Id>;
}

/** As `stepSnapshot`, from a stored state. */
export function step<Id extends MachineId>(machineId: Id, stored: StateAndContext, event: EventOf<Id>): StepResult<Id> {
  return stepSnapshot(machineId, restore(machineId, stored), event);
}

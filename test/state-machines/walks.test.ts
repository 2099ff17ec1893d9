import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import type { AnyMachineSnapshot, AnyStateMachine, EventObject, ExecutableActionObject, StateNode } from 'xstate';
import { getStateNodes, initialTransition, transition } from 'xstate';
import { describe, expect, it } from 'vitest';
import { type MachineId, registry } from '#machines/registry.ts';
import { initial, step, type StepResult, stepSnapshot } from '#machines/step.ts';
import { machineIds, sampleEvents, trace, weightedEvents } from './samples.ts';

const walkOf = (machineId: MachineId) =>
  fc.array(fc.constantFrom(...weightedEvents(machineId)), { minLength: 50, maxLength: 50 });
const parameters = { numRuns: 500, seed: 20261121 };

type Comparable = Pick<StepResult, 'value' | 'context' | 'effects' | 'timers'>;

/** What the stock step of XState says, in the words of ours. */
function fromStock(snapshot: AnyMachineSnapshot, actions: ExecutableActionObject[]): Comparable {
  const set = new Map<string, StepResult['timers']['set'][number]>();
  const cancel = new Set<string>();
  const effects: StepResult['effects'] = [];
  for (const { type, params } of actions) {
    if (type === 'xstate.raise') {
      const { id, delay, event } = params as { id: string; delay?: number; event: EventObject };
      if (delay !== undefined) set.set(id, { name: id, delay, event });
    } else if (type === 'xstate.cancel') {
      const { sendId } = params as { sendId: string };
      set.delete(sendId);
      cancel.add(sendId);
    } else if (!type.startsWith('xstate.')) {
      effects.push({ type, params });
    }
  }
  return {
    value: snapshot.value,
    context: snapshot.context,
    effects,
    timers: { set: [...set.values()], cancel: [...cancel] },
  };
}

const comparable = ({ value, context, effects, timers }: StepResult): Comparable => ({
  value,
  context,
  effects,
  timers,
});

function expectSame(actual: StepResult, expected: Comparable): void {
  // The cheap comparison first: there are 75,000 of them.
  if (!isDeepStrictEqual(comparable(actual), expected)) expect(comparable(actual)).toStrictEqual(expected);
}

function everyNode(node: StateNode): StateNode[] {
  return [node, ...Object.values(node.states).flatMap(everyNode)];
}

const everyTransition = (machine: AnyStateMachine) =>
  everyNode(machine.root).flatMap((node) => [...[...node.transitions.values()].flat(), ...(node.always ?? [])]);

describe.each(machineIds)('walks of %s', { timeout: 30_000 }, (machineId) => {
  const machine: AnyStateMachine = registry[machineId].machine;

  it('takes the steps of the stock transition', () => {
    const property = fc.property(walkOf(machineId), (events) => {
      let [stock, actions] = initialTransition(machine) as [AnyMachineSnapshot, ExecutableActionObject[]];
      let ours: StepResult = initial(machineId);
      expectSame(ours, fromStock(stock, actions));
      for (const event of events) {
        [stock, actions] = transition(machine, stock, event) as [AnyMachineSnapshot, ExecutableActionObject[]];
        ours = stepSnapshot(machineId, ours.snapshot, event);
        expectSame(ours, fromStock(stock, actions));
      }
    });
    fc.assert(property, parameters);
  });

  it('takes the same steps through the store', () => {
    const property = fc.property(walkOf(machineId), (events) => {
      let live: StepResult = initial(machineId);
      let stored: StepResult = live;
      for (const event of events) {
        live = stepSnapshot(machineId, live.snapshot, event);
        stored = step(machineId, JSON.parse(JSON.stringify({ value: stored.value, context: stored.context })), event);
        expectSame(stored, comparable(live));
        expect(stored.changed).toBe(live.changed);
      }
    });
    fc.assert(property, parameters);
  });

  it('gives results that survive JSON', () => {
    const property = fc.property(walkOf(machineId), (events) => {
      let state: StepResult = initial(machineId);
      for (const event of events) {
        state = stepSnapshot(machineId, state.snapshot, event);
        const { snapshot: _, ...data } = state;
        expect(JSON.parse(JSON.stringify(data))).toEqual(data);
      }
    });
    fc.assert(property, { ...parameters, numRuns: 20 });
  });

  it('names each timer after its event', () => {
    // A stored timer keeps its name only, and fires the event of that type.
    const property = fc.property(walkOf(machineId), (events) => {
      for (const { timers } of trace(machineId, events)) {
        for (const { name, event } of timers.set) expect(event).toEqual({ type: name });
      }
    });
    fc.assert(property, { ...parameters, numRuns: 50 });
  });

  it('passes through every state and transition', () => {
    const missing = new Set<unknown>(everyTransition(machine));
    const unseen = new Set<string>(everyNode(machine.root).map(({ id }) => id));
    const property = fc.property(walkOf(machineId), (events) => {
      let { snapshot } = initial(machineId);
      for (const event of events) {
        for (const node of getStateNodes(machine.root, snapshot.value)) unseen.delete(node.id);
        for (const taken of machine.getTransitionData(snapshot, event)) missing.delete(taken);
        snapshot = stepSnapshot(machineId, snapshot, event).snapshot;
      }
    });
    fc.assert(property, parameters);
    expect([...unseen]).toEqual([]);
    expect([...missing]).toEqual([]);
  });

  it('has a sample of every event', () => {
    const sampled = new Set(sampleEvents(machineId).map(({ type }) => type));
    const known = new Set(everyTransition(machine).map(({ eventType }) => eventType));
    expect([...sampled].sort()).toEqual([...known].sort());
  });

  it('uses only what can be stored', () => {
    const unfit = everyNode(machine.root).filter((node) => node.invoke.length > 0 || node.type === 'history');
    expect(unfit.map(({ id }) => id)).toEqual([]);
    expect(Object.keys(machine.implementations.actors)).toEqual([]);
    expect(machine.id).toBe(machineId);
  });
});

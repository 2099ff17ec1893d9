import { assign, cancel, emit, raise, setup } from 'xstate';
import { describe, expect, it } from 'vitest';
import { initialOf, restore, restoreOf, step, stepOf, stepSnapshot } from '#machines/step.ts';

/** A machine with what the hub's own machines do not use yet. */
const sample = setup({
  types: { context: {} as { count: number; wait: number; log: string[] } },
  actions: {
    greet: (_, _params: { name: string }) => {},
    count: assign({ count: ({ context }) => context.count + 1 }),
  },
  delays: { wait: ({ context }) => context.wait },
}).createMachine({
  id: 'sample',
  context: { count: 0, wait: 10, log: [] },
  initial: 'a',
  states: {
    a: {
      on: {
        twice: { actions: ['count', raise({ type: 'again' }), raise({ type: 'again' })] },
        again: { actions: ['count', { type: 'greet', params: ({ context }) => ({ name: `n${context.count}` }) }] },
        note: { actions: { type: 'greet', params: { name: 'self' } } },
        forbidden: {},
        same: 'a',
        wait: 'waiting',
        pass: 'passing',
        later: { actions: raise({ type: 'again' }, { id: 'reminder', delay: 5 }) },
        never: { actions: cancel('reminder') },
        shout: { actions: emit({ type: 'shout' }) },
        fail: {
          actions: assign(() => {
            throw new Error('An assignment failed.');
          }),
        },
      },
    },
    waiting: {
      after: { wait: 'a' },
      on: { restart: { target: 'waiting', reenter: true } },
    },
    passing: { after: { 20: 'a' }, always: 'a' },
  },
});

const first = initialOf(sample);
const after = (type: string) => stepOf(sample, first.snapshot, { type });
const waitTimer = 'xstate.after.wait.sample.waiting';

describe('step', () => {
  it('handles raised events within the same step', () => {
    const { context, effects } = after('twice');
    expect(context).toMatchObject({ count: 3 });
    expect(effects).toEqual([
      { type: 'greet', params: { name: 'n2' } },
      { type: 'greet', params: { name: 'n3' } },
    ]);
  });

  it.each([
    ['note', true],
    ['same', true],
    ['again', true],
    ['never', true],
    ['forbidden', false],
    ['unheard-of', false],
  ])('says whether %s took a transition: %s', (type, changed) => {
    expect(after(type)).toMatchObject({ value: 'a', changed });
  });

  it('returns the same snapshot for an unknown event', () => {
    const result = after('unheard-of');
    expect(result.snapshot).toBe(first.snapshot);
    expect(result).toMatchObject({ effects: [], timers: { set: [], cancel: [] } });
  });

  it('turns a delayed raise into a timer, a cancel likewise', () => {
    const timer = { name: 'reminder', delay: 5, event: { type: 'again' } };
    expect(after('later').timers).toEqual({ set: [timer], cancel: [] });
    expect(after('never').timers).toEqual({ set: [], cancel: ['reminder'] });
  });

  it('cancels and sets the timer of a state entered anew', () => {
    const waiting = after('wait');
    const timer = { name: waitTimer, delay: 10, event: { type: waitTimer } };
    expect(waiting.timers).toEqual({ set: [timer], cancel: [] });
    const anew = stepOf(sample, waiting.snapshot, { type: 'restart' });
    expect(anew.timers).toEqual({ set: [timer], cancel: [waitTimer] });
  });

  it('sets no timer for a state left within the step', () => {
    expect(after('pass')).toMatchObject({ value: 'a', timers: { set: [] } });
  });

  it.each([undefined, null, '10', Number.NaN, Number.POSITIVE_INFINITY, -1])('refuses the delay %s', (wait) => {
    const snapshot = restoreOf(sample, { value: 'a', context: { count: 0, wait, log: [] } });
    expect(() => stepOf(sample, snapshot, { type: 'wait' })).toThrow(/must be a number of milliseconds/);
  });

  it('rounds a delay up to whole milliseconds', () => {
    const snapshot = restoreOf(sample, { value: 'a', context: { count: 0, wait: 0.2, log: [] } });
    expect(stepOf(sample, snapshot, { type: 'wait' }).timers.set).toMatchObject([{ delay: 1 }]);
  });

  it('refuses actions that can not be stored', () => {
    expect(() => after('shout')).toThrow('A machine used xstate.emit');
  });

  it('is as good as before after a step that throws', () => {
    expect(() => after('fail')).toThrow('An assignment failed.');
    expect(after('again')).toMatchObject({ context: { count: 1 }, effects: [{ type: 'greet' }] });
  });

  it('shares no context with the machine or what was stored', () => {
    (initialOf(sample).context as unknown as { log: string[] }).log.push('mine');
    expect(initialOf(sample).context).toMatchObject({ log: [] });
    const stored = { value: 'a', context: { count: 1, wait: 1, log: [] as string[] } };
    const snapshot = restoreOf(sample, stored);
    stored.context.log.push('later');
    expect(snapshot.context.log).toEqual([]);
  });

  it('leaves the snapshot it started from as it was', () => {
    const snapshot = restore('conversation', {
      value: { presence: 'present', workflow: 'none' },
      context: { unread: 1 },
    });
    const once = stepSnapshot('conversation', snapshot, { type: 'messages.received', fromContact: 1 });
    const again = stepSnapshot('conversation', snapshot, { type: 'messages.received', fromContact: 1 });
    expect(snapshot.context).toEqual({ unread: 1 });
    expect(again.context).toEqual(once.context);
  });

  it('throws on a state that the machine does not have', () => {
    const stored = { value: 'nowhere', context: {} };
    expect(() => step('channel', stored, { type: 'connect' })).toThrow(/nowhere/);
  });

  it('throws when the first state can not be computed', () => {
    const broken = setup({}).createMachine({
      context: () => {
        throw new Error('No context.');
      },
    });
    expect(() => initialOf(broken)).toThrow('No context.');
  });
});

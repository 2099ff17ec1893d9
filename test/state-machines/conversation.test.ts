import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { awaitedFor, type ConversationContext, echoParkedFor, typingShownFor } from '#machines/conversation.ts';
import type { EventOf } from '#machines/registry.ts';
import { initial, step, type StepResult } from '#machines/step.ts';
import { awaitedTimer, echoTimer, paths, sampleEvents, trace, typingTimer, weightedEvents } from './samples.ts';

type State = StepResult<'conversation'>;
type Event = EventOf<'conversation'>;
type Presence = 'absent' | 'awaited' | 'present';
type Row = [from: Presence, before: Partial<ConversationContext>, event: Event, to: Presence, string[], object];

const none: ConversationContext = { unread: 0, parked: 0 };
const inbound: Event = { type: 'messages.received', fromContact: 1 };

const table: Row[] = [
  ['absent', {}, { type: 'open' }, 'present', [], {}],
  ['absent', {}, { type: 'send.park' }, 'awaited', [], { parked: 1 }],
  ['awaited', { parked: 1 }, { type: 'send.park' }, 'awaited', [], { parked: 2 }],
  ['awaited', { parked: 2 }, { type: 'open' }, 'present', ['releaseParked'], {}],
  ['awaited', { parked: 2 }, { type: awaitedTimer }, 'absent', ['giveUpParked'], {}],
  ['present', { unread: 1 }, inbound, 'present', [], { unread: 2 }],
  ['present', { unread: 1 }, { type: 'messages.received', fromContact: 3 }, 'present', [], { unread: 4 }],
  ['present', { unread: 2 }, { type: 'read' }, 'present', [], {}],
];

const workflow: [from: string, event: Event, to: string][] = [
  ['none', { type: 'workflow.set', state: 'OPEN' }, 'open'],
  ['none', { type: 'workflow.set', state: 'CLOSED' }, 'closed'],
  ['none', { type: 'workflow.remove' }, 'none'],
  ['open', { type: 'workflow.set', state: 'OPEN' }, 'open'],
  ['open', { type: 'workflow.set', state: 'CLOSED' }, 'closed'],
  ['open', { type: 'workflow.remove' }, 'none'],
  ['closed', { type: 'workflow.set', state: 'OPEN' }, 'open'],
  ['closed', { type: 'workflow.set', state: 'CLOSED' }, 'closed'],
  ['closed', { type: 'workflow.remove' }, 'none'],
];

const echoes: [from: string, event: Event, to: string, effects: string[]][] = [
  ['none', { type: 'echo.park' }, 'parked', []],
  ['parked', { type: 'echo.settle' }, 'none', []],
  ['parked', { type: echoTimer }, 'none', ['releaseEchoes']],
];

const typing: [from: string, event: Event, to: string, effects: string[]][] = [
  ['idle', { type: 'typing.seen' }, 'shown', ['showTyping']],
  ['shown', { type: 'typing.seen' }, 'shown', []],
  ['shown', { type: 'typing.ended' }, 'idle', ['hideTyping']],
  ['shown', { type: typingTimer }, 'idle', ['hideTyping']],
  ['shown', inbound, 'idle', ['hideTyping']],
];

const presenceOf = (state: State) => (state.value as { presence: Presence }).presence;

/** What is wrong with a way of states; `events[n]` leads from `states[n]` to `states[n + 1]`. */
function violations(events: Event[], states: State[]): string[] {
  const found: string[] = [];
  let unread = 0;
  states.forEach((state, index) => {
    const before = states[index - 1];
    const event = events[index - 1] ?? { type: 'start' };
    if (presenceOf(state) === 'present' && event.type === 'read') unread = 0;
    if (before && presenceOf(before) === 'present' && event.type === 'messages.received') unread += event.fromContact;
    if (state.context.unread !== unread) found.push(`${event.type}: unread ${state.context.unread}, not ${unread}`);
    const { parked } = state.context;
    if (presenceOf(state) === 'awaited' ? parked < 1 : parked !== 0) found.push(`${event.type}: ${parked} parked`);
    const left = before !== undefined && presenceOf(before) === 'awaited' && presenceOf(state) !== 'awaited';
    const ended = state.effects.filter(({ type }) => type === 'releaseParked' || type === 'giveUpParked');
    if (ended.length !== (left ? 1 : 0)) found.push(`${event.type}: parked sends ended ${ended.length} times`);
    if (before && presenceOf(before) === 'present' && presenceOf(state) !== 'present') found.push('left present');
  });
  return found;
}

describe('conversation', () => {
  it('starts absent, without a workflow state', () => {
    expect(initial('conversation')).toMatchObject({
      value: { presence: 'absent', echoes: 'none', typing: 'idle', workflow: 'none' },
      context: none,
    });
  });

  it.each(table)('goes from %s %j with %j to %s', (from, before, event, to, effects, after) => {
    const others = { echoes: 'none', typing: 'idle', workflow: 'open' };
    const stored = { value: { presence: from, ...others }, context: { ...none, ...before } };
    const result = step('conversation', stored, event);
    expect(result.value).toEqual({ presence: to, ...others });
    expect(result.effects.map(({ type }) => type)).toEqual(effects);
    expect(result.context).toEqual({ ...none, ...after });
    expect(result.changed).toBe(true);
  });

  it.each(workflow)('turns workflow %s with %j to %s', (from, event, to) => {
    for (const presence of ['absent', 'awaited', 'present']) {
      const result = step(
        'conversation',
        { value: { presence, echoes: 'parked', typing: 'shown', workflow: from }, context: none },
        event,
      );
      expect(result).toMatchObject({
        value: { presence, echoes: 'parked', typing: 'shown', workflow: to },
        context: none,
        effects: [],
        changed: true,
      });
    }
  });

  it('stays for every event that the tables do not name', () => {
    for (const presence of ['absent', 'awaited', 'present'] as const) {
      const named = table.filter(([from]) => from === presence).map(([, , event]) => JSON.stringify(event));
      const rest = sampleEvents('conversation').filter((event) => !named.includes(JSON.stringify(event)));
      for (const event of rest.filter(({ type }) => !/^workflow\.|^echo\.|echoes|typing\./.test(type))) {
        const value = { presence, echoes: 'none', typing: 'idle', workflow: 'none' };
        const result = step('conversation', { value, context: none }, event);
        expect(result).toMatchObject({ value, context: none, changed: false, effects: [] });
      }
    }
  });

  it.each(echoes)('turns echoes %s with %j to %s', (from, event, to, effects) => {
    const value = { presence: 'present', echoes: from, typing: 'idle', workflow: 'none' };
    const result = step('conversation', { value, context: none }, event);
    expect(result).toMatchObject({ value: { ...value, echoes: to }, context: none, changed: true });
    expect(result.effects.map(({ type }) => type)).toEqual(effects);
  });

  it.each(typing)('turns typing %s with %j to %s', (from, event, to, effects) => {
    const value = { presence: 'present', echoes: 'none', typing: from, workflow: 'none' };
    const result = step('conversation', { value, context: none }, event);
    expect(result).toMatchObject({ value: { ...value, typing: to }, changed: true });
    expect(result.effects.map(({ type }) => type)).toEqual(effects);
  });

  it('shows a contact to type for 15 s from the last sign', () => {
    const [, , first, again, ended] = trace('conversation', [
      { type: 'open' },
      { type: 'typing.seen' },
      { type: 'typing.seen' },
      { type: 'typing.ended' },
    ]);
    expect(typingShownFor).toBe(15_000);
    const set = [{ name: typingTimer, delay: typingShownFor, event: { type: typingTimer } }];
    expect(first?.timers).toEqual({ set, cancel: [] });
    expect(again?.timers.set).toEqual(set);
    expect(again?.effects).toEqual([]);
    expect(ended?.timers).toEqual({ set: [], cancel: [typingTimer] });
  });

  it('waits 30 s from the first possible echo', () => {
    const [, first, second, settled] = trace('conversation', [
      { type: 'echo.park' },
      { type: 'echo.park' },
      { type: 'echo.settle' },
    ]);
    expect(echoParkedFor).toBe(30_000);
    expect(first?.timers.set).toEqual([{ name: echoTimer, delay: echoParkedFor, event: { type: echoTimer } }]);
    expect(second?.timers).toEqual({ set: [], cancel: [] });
    expect(settled?.timers).toEqual({ set: [], cancel: [echoTimer] });
  });

  it('waits 30 s from the first parked send', () => {
    const [, first, second, opened] = trace('conversation', [
      { type: 'send.park' },
      { type: 'send.park' },
      { type: 'open' },
    ]);
    expect(awaitedFor).toBe(30_000);
    expect(first?.timers.set).toEqual([{ name: awaitedTimer, delay: awaitedFor, event: { type: awaitedTimer } }]);
    expect(second?.timers).toEqual({ set: [], cancel: [] });
    expect(opened?.timers).toEqual({ set: [], cancel: [awaitedTimer] });
  });

  it('keeps its invariants on every path', () => {
    const few = ({ value, context }: State) => [value, Math.min(context.parked, 3), Math.min(context.unread, 3)];
    const ways = paths('conversation', few);
    expect(ways.length).toBeGreaterThan(200);
    for (const events of ways) expect(violations(events, trace('conversation', events))).toEqual([]);
  });

  it('keeps its invariants on random walks', () => {
    const walk = fc.array(fc.constantFrom(...weightedEvents('conversation')), { maxLength: 50 });
    const property = fc.property(walk, (events) => {
      expect(violations(events, trace('conversation', events))).toEqual([]);
    });
    fc.assert(property, { numRuns: 500, seed: 11 });
  });

  it('finds a broken invariant', () => {
    const good = initial('conversation');
    const broken: State = { ...good, context: { unread: -1, parked: 2 } };
    expect(violations([{ type: 'read' }], [good, broken])).toEqual(['read: unread -1, not 0', 'read: 2 parked']);
  });
});

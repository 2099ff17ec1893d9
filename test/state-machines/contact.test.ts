import { describe, expect, it } from 'vitest';
import type { ContactContext, ContactEvent } from '#machines/contact.ts';
import { initial, step } from '#machines/step.ts';
import { paths, sampleEvents, trace } from './samples.ts';

type State = 'unknown' | 'active' | 'merging' | 'merged' | 'deleted';
type Row = [
  from: State,
  before: ContactContext,
  event: ContactEvent,
  to: State,
  after: ContactContext,
  effects: string[],
];

const never: ContactContext = { into: null, merges: 0 };
const first: ContactContext = { into: 'b', merges: 1 };
const back: ContactContext = { into: null, merges: 1 };

const table: Row[] = [
  ['unknown', never, { type: 'create' }, 'active', never, ['announce']],
  ['active', never, { type: 'change' }, 'active', never, ['announce']],
  ['active', never, { type: 'delete' }, 'deleted', never, ['announce']],
  ['active', never, { type: 'merge', into: 'b' }, 'merging', first, ['announce']],
  ['active', back, { type: 'merge', into: 'c' }, 'merging', { into: 'c', merges: 2 }, ['announce']],
  ['merging', first, { type: 'absorbed', merges: 1 }, 'merged', first, ['letGo']],
  ['merging', first, { type: 'given.back', merges: 1 }, 'active', back, ['announce']],
  ['merging', first, { type: 'revive' }, 'active', back, ['announce']],
  ['merged', first, { type: 'revive' }, 'active', back, ['announce']],
];

const states: State[] = ['unknown', 'active', 'merging', 'merged', 'deleted'];

describe('contact', () => {
  it('starts unknown and says nothing', () => {
    expect(initial('contact')).toMatchObject({ value: 'unknown', context: never, effects: [] });
  });

  it.each(table)('goes from %s, %j, with %j to %s', (value, context, event, next, after, effects) => {
    const result = step('contact', { value, context }, event);
    expect(result).toMatchObject({ value: next, context: after, changed: true });
    expect(result.effects.map(({ type }) => type)).toEqual(effects);
  });

  it('stays for every event that the table does not name', () => {
    const named = (value: State, type: string) =>
      table.some(([from, , event]) => from === value && event.type === type);
    for (const value of states) {
      for (const event of sampleEvents('contact').filter(({ type }) => !named(value, type))) {
        expect(step('contact', { value, context: first }, event)).toMatchObject({ value, changed: false, effects: [] });
      }
    }
  });

  it.each(['absorbed', 'given.back'] as const)('hears nothing of another merge by %s', (type) => {
    const result = step('contact', { value: 'merging', context: first }, { type, merges: 2 });
    expect(result).toMatchObject({ value: 'merging', changed: false });
  });

  it('is never there again once it was deleted', () => {
    for (const way of paths('contact', ({ value }) => value)) {
      const values = trace('contact', way).map(({ value }) => value);
      const deleted = values.indexOf('deleted');
      if (deleted >= 0) expect(new Set(values.slice(deleted))).toEqual(new Set(['deleted']));
    }
  });
});

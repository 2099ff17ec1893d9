import { describe, expect, it } from 'vitest';
import { initial, step } from '#machines/step.ts';
import { paths, trace } from './samples.ts';

const table = [
  ['unknown', 'create', 'active', ['announce']],
  ['active', 'change', 'active', ['announce']],
  ['active', 'delete', 'deleted', ['announce']],
] as const;

const states = ['unknown', 'active', 'deleted'] as const;
const events = ['create', 'change', 'delete'] as const;

describe('contact', () => {
  it('starts unknown and says nothing', () => {
    expect(initial('contact')).toMatchObject({ value: 'unknown', context: {}, effects: [] });
  });

  it.each(table)('goes from %s with %s to %s', (value, type, next, effects) => {
    const result = step('contact', { value, context: {} }, { type });
    expect(result).toMatchObject({ value: next, changed: true });
    expect(result.effects.map((effect) => effect.type)).toEqual(effects);
  });

  it('stays for every event that the table does not name', () => {
    const named = (value: string, type: string) => table.some(([from, event]) => from === value && event === type);
    for (const value of states) {
      for (const type of events.filter((event) => !named(value, event))) {
        expect(step('contact', { value, context: {} }, { type })).toMatchObject({ value, changed: false, effects: [] });
      }
    }
  });

  it('is never there again once it was deleted', () => {
    for (const way of paths('contact', ({ value }) => value)) {
      const values = trace('contact', way).map(({ value }) => value);
      const deleted = values.indexOf('deleted');
      if (deleted >= 0) expect(new Set(values.slice(deleted))).toEqual(new Set(['deleted']));
    }
  });
});

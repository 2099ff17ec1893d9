import { describe, expect, it } from 'vitest';
import type { ContactContext, ContactEvent, Erasure } from '#machines/contact.ts';
import { initial, step } from '#machines/step.ts';
import { paths, sampleEvents, trace } from './samples.ts';

type State = 'unknown' | 'active' | 'merging' | 'merged' | 'deleted' | 'erasing' | 'erased';
type Row = [
  from: State,
  before: ContactContext,
  event: ContactEvent,
  to: State,
  after: ContactContext,
  effects: string[],
];

const never: ContactContext = { into: null, merges: 0, erasure: null };
const first: ContactContext = { into: 'b', merges: 1, erasure: null };
const back: ContactContext = { into: null, merges: 1, erasure: null };

const itself = { contacts: 1, conversations: 0, messages: 0, files: 0 };
const begun: Erasure = { number: 1, parts: 2, erased: itself, partOf: null };
const erase: ContactEvent = { type: 'erase', parts: 2, partOf: null };
const erased = { contacts: 0, conversations: 1, messages: 5, files: 1 };
const part: ContactEvent = { type: 'part.erased', erasure: 1, erased };
const onePart: Erasure = { ...begun, parts: 1, erased: { contacts: 1, conversations: 1, messages: 5, files: 1 } };
const twoParts: Erasure = { ...begun, parts: 0, erased: { contacts: 1, conversations: 2, messages: 10, files: 2 } };
const under = (erasure: Erasure): ContactContext => ({ ...never, erasure });

const table: Row[] = [
  ['unknown', never, { type: 'create' }, 'active', never, ['announce']],
  ['active', never, { type: 'change' }, 'active', never, ['announce']],
  ['active', never, { type: 'delete' }, 'deleted', never, ['announce']],
  ['active', never, { type: 'merge', into: 'b' }, 'merging', first, ['announce']],
  ['active', back, { type: 'merge', into: 'c' }, 'merging', { ...first, into: 'c', merges: 2 }, ['announce']],
  ['merging', first, { type: 'absorbed', merges: 1 }, 'merged', first, ['letGo']],
  ['merging', first, { type: 'given.back', merges: 1 }, 'active', back, ['announce']],
  ['merging', first, { type: 'revive' }, 'active', back, ['announce']],
  ['merged', first, { type: 'revive' }, 'active', back, ['announce']],
  ['active', never, erase, 'erasing', under(begun), ['announce']],
  ['merged', first, erase, 'erasing', { ...first, erasure: begun }, []],
  ['deleted', never, erase, 'erasing', under(begun), []],
  [
    'erasing',
    under(begun),
    { type: 'parts.found', erasure: 1, parts: 3 },
    'erasing',
    under({ ...begun, parts: 5 }),
    [],
  ],
  ['erasing', under(begun), part, 'erasing', under(onePart), []],
  ['erasing', under(onePart), part, 'erased', under(twoParts), ['report']],
  ['erased', under(twoParts), erase, 'erasing', under({ ...begun, number: 2 }), []],
  [
    'erased',
    { ...first, erasure: twoParts },
    { type: 'create' },
    'active',
    { ...back, erasure: twoParts },
    ['announce'],
  ],
];

const states: State[] = ['unknown', 'active', 'merging', 'merged', 'deleted', 'erasing', 'erased'];

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

  it.each([
    { type: 'parts.found', erasure: 2, parts: 1 },
    { type: 'part.erased', erasure: 2, erased },
  ] as const)('hears nothing of another erasure by %j', (event) => {
    expect(step('contact', { value: 'erasing', context: under(begun) }, event)).toMatchObject({ changed: false });
  });

  it('is never there again once it was deleted', () => {
    for (const way of paths('contact', ({ value }) => value)) {
      const values = trace('contact', way).map(({ value }) => value);
      const deleted = values.indexOf('deleted');
      // Erasing what is gone makes it less, and only what was erased may come again.
      const after = new Set(values.slice(deleted));
      if (deleted >= 0 && !after.has('erased')) expect(after.isSubsetOf(new Set(['deleted', 'erasing']))).toBe(true);
    }
  });
});

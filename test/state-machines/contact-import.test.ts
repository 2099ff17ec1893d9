import { describe, expect, it } from 'vitest';
import { collectedFor } from '#machines/contact-import.ts';
import { initial, step } from '#machines/step.ts';
import { collectTimer, sampleEvents } from './samples.ts';

const table = [
  ['none', 'add', 'collecting', []],
  ['collecting', 'commit', 'running', ['carryOut']],
  ['collecting', collectTimer, 'none', ['forget']],
  ['running', 'finish', 'done', ['forget']],
] as const;

const states = ['none', 'collecting', 'running', 'done'] as const;

describe('contact-import', () => {
  it('starts with nothing, and waits for nothing', () => {
    expect(initial('contact-import')).toMatchObject({ value: 'none', effects: [], timers: { set: [] } });
  });

  it.each(table)('goes from %s with %s to %s', (value, type, next, effects) => {
    const result = step('contact-import', { value, context: {} }, { type });
    expect(result).toMatchObject({ value: next, changed: true });
    expect(result.effects.map((effect) => effect.type)).toEqual(effects);
  });

  it('waits for the rest of it, and not for its end', () => {
    const collecting = step('contact-import', { value: 'none', context: {} }, { type: 'add' });
    expect(collecting.timers.set).toMatchObject([{ name: collectTimer, delay: collectedFor }]);
    const running = step('contact-import', collecting, { type: 'commit' });
    expect(running.timers).toEqual({ cancel: [collectTimer], set: [] });
  });

  it('stays for every event that the table does not name', () => {
    const named = (value: string, type: string) => table.some(([from, event]) => from === value && event === type);
    for (const value of states) {
      for (const event of sampleEvents('contact-import').filter(({ type }) => !named(value, type))) {
        const after = step('contact-import', { value, context: {} }, event);
        expect(after).toMatchObject({ value, changed: false, effects: [] });
      }
    }
  });
});

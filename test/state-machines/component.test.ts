import { describe, expect, it } from 'vitest';
import { initial, step } from '#machines/step.ts';
import { paths, sampleEvents, trace } from './samples.ts';

const installing = { pending: 'installing' };
const uninstalling = { pending: 'uninstalling' };

const table = [
  ['uninstalled', 'adopt', 'installed', ['enable']],
  ['uninstalled', 'install', installing, ['enable', 'follow', 'announce']],
  [installing, 'followed', 'installed', ['announce']],
  [installing, 'uninstall', uninstalling, ['follow', 'announce']],
  ['installed', 'uninstall', uninstalling, ['follow', 'announce']],
  [uninstalling, 'followed', 'uninstalled', ['announce']],
  [uninstalling, 'install', installing, ['enable', 'follow', 'announce']],
] as const;

const states = [...new Set(table.map(([value]) => value))];

describe('component', () => {
  it('starts uninstalled and says nothing', () => {
    expect(initial('component')).toMatchObject({ value: 'uninstalled', effects: [] });
  });

  it.each(table)('goes from %j with %s to %j', (value, type, next, effects) => {
    const result = step('component', { value, context: {} }, { type });
    expect(result.value).toEqual(next);
    expect(result.effects.map((effect) => effect.type)).toEqual(effects);
  });

  it.each(states)('stays %j for every other event', (value) => {
    const named = table.filter(([from]) => from === value).map(([, type]) => type);
    const others = sampleEvents('component').filter(({ type }) => !(named as readonly string[]).includes(type));
    for (const event of others) {
      expect(step('component', { value, context: {} }, event)).toMatchObject({ value, changed: false, effects: [] });
    }
  });

  it('is pending exactly from what is to be followed on', () => {
    for (const events of paths('component', ({ value }) => value)) {
      for (const { value, effects, changed } of trace('component', events).slice(1)) {
        if (changed) expect(effects.some(({ type }) => type === 'follow')).toBe(typeof value === 'object');
      }
    }
  });
});

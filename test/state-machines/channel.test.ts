import { describe, expect, it } from 'vitest';
import { initial, step } from '#machines/step.ts';
import { paths, trace } from './samples.ts';

const table = [
  ['unknown', 'connect', 'connected', ['announce'], true],
  ['unknown', 'disconnect', 'unknown', [], false],
  ['unknown', 'update', 'unknown', [], false],
  ['connected', 'connect', 'connected', ['announce'], true],
  ['connected', 'update', 'connected', ['announce'], true],
  ['connected', 'disconnect', 'disconnected', ['forgetToken', 'announce'], true],
  ['disconnected', 'connect', 'connected', ['announce'], true],
  ['disconnected', 'update', 'disconnected', ['announce'], true],
  ['disconnected', 'disconnect', 'disconnected', [], false],
] as const;

describe('channel', () => {
  it('starts unknown and says nothing', () => {
    expect(initial('channel')).toMatchObject({ value: 'unknown', context: {}, effects: [] });
  });

  it.each(table)('goes from %s with %s to %s', (value, type, next, effects, changed) => {
    const result = step('channel', { value, context: {} }, { type });
    expect(result.value).toBe(next);
    expect(result.effects.map((effect) => effect.type)).toEqual(effects);
    expect(result.changed).toBe(changed);
  });

  it('forgets the token on each disconnect and only then', () => {
    const ways = paths('channel', ({ value }) => value);
    expect(ways.length).toBe(9);
    for (const events of ways) {
      const states = trace('channel', events);
      states.forEach((state, index) => {
        const disconnected = state.value === 'disconnected' && states[index - 1]?.value !== 'disconnected';
        expect(state.effects.some(({ type }) => type === 'forgetToken')).toBe(disconnected);
      });
    }
  });
});

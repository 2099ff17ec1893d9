import { setup } from 'xstate';
import { describe, expect, it } from 'vitest';
import { migrate } from '#machines/migrate.ts';
import { type RegisteredMachine, registry, type StoredState } from '#machines/registry.ts';
import { restoreOf } from '#machines/step.ts';
import { machineIds } from './samples.ts';

const machine = setup({}).createMachine({ initial: 'online', states: { online: {}, offline: {} } });

/** Version 2 renamed the state `up`, version 3 counts. */
const registered: RegisteredMachine = {
  machine,
  version: 3,
  migrations: [
    (state) => ({ ...state, value: state.value === 'up' ? 'online' : state.value }),
    (state) => ({ ...state, context: { ...(state.context as object), count: 0 } }),
  ],
};

const stored = (machineVersion: number): StoredState => ({ machineVersion, value: 'up', context: { name: 'n' } });

describe('migrate', () => {
  it('applies every migration up to the current version', () => {
    const current = migrate('channel', stored(1), registered);
    expect(current).toEqual({ machineVersion: 3, value: 'online', context: { name: 'n', count: 0 } });
    expect(restoreOf(machine, current).value).toBe('online');
  });

  it('starts at the version that was stored', () => {
    expect(migrate('channel', stored(2), registered)).toMatchObject({ value: 'up', context: { count: 0 } });
  });

  it('gives back a current state itself', () => {
    const current = stored(3);
    expect(migrate('channel', current, registered)).toBe(current);
  });

  it('leaves what was stored as it was', () => {
    const old = stored(1);
    migrate('channel', old, registered);
    expect(old).toEqual(stored(1));
  });

  it('refuses a version newer than the code', () => {
    const refusal = 'A stored state of channel has version 4, this program knows 3: start a newer one.';
    expect(() => migrate('channel', stored(4), registered)).toThrow(refusal);
  });

  it('names a migration that is missing', () => {
    const gap = { ...registered, migrations: registered.migrations.slice(0, 1) };
    expect(() => migrate('channel', stored(1), gap)).toThrow('channel has no migration from version 2.');
  });

  it.each([0, -1, 1.5, Number.NaN])('refuses the version %s', (version) => {
    expect(() => migrate('channel', stored(version), registered)).toThrow('has no version');
  });

  it.each(machineIds)('has every migration of %s', (machineId) => {
    const { version, migrations } = registry[machineId];
    expect(migrations.length).toBe(version - 1);
  });
});

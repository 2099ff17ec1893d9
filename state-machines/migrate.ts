import { type MachineId, type RegisteredMachine, type StoredState, registry } from './registry.ts';

/**
 * Brings a stored state to its machine's current version, one migration after the other.
 * @param registered the machine's entry; only tests give another than the registry's
 * @throws Error when the state was stored by a newer version than this code, or a migration is missing
 */
export function migrate(
  machineId: MachineId,
  stored: StoredState,
  registered: RegisteredMachine = registry[machineId],
): StoredState {
  const { version, migrations } = registered;
  if (!Number.isInteger(stored.machineVersion) || stored.machineVersion < 1) {
    throw new Error(`A stored state of ${machineId} has no version: ${String(stored.machineVersion)}.`);
  }
  if (stored.machineVersion > version) {
    throw new Error(
      `A stored state of ${machineId} has version ${stored.machineVersion}, this program knows ${version}: start a newer one.`,
    );
  }
  let state = stored;
  while (state.machineVersion < version) {
    const change = migrations[state.machineVersion - 1];
    if (!change) throw new Error(`${machineId} has no migration from version ${state.machineVersion}.`);
    state = { ...change(state), machineVersion: state.machineVersion + 1 };
  }
  return state;
}

import { kindTables } from '#actors/kinds.ts';
import { localLog } from '#actors/log/local-log.ts';
import { openHostStore } from '#actors/store/host-store.ts';
import { type HostPorts, startHost } from '#src/node/owner-host.ts';
import type { HostSettings } from './host-thread.ts';

/** The ports that a host in its own thread makes itself. */
export interface HostHerePorts extends Pick<HostPorts, 'bus' | 'clock' | 'logger' | 'mover'> {
  log?: HostPorts['log'] | undefined;
}

/** A running host. */
export interface HostHere {
  /** Null when the host takes commands and does its work, else why not. */
  problem(): string | null;
  /** Lets the host answer what it has taken, then closes its file. */
  stop(): Promise<void>;
}

/** Opens the file and runs its host in the thread of the caller. */
export function runHostHere(settings: HostSettings, { log = localLog, ...ports }: HostHerePorts): HostHere {
  const { file, durability, shards, retention, sealKey, previousSealKey } = settings;
  const store = openHostStore({ file, durability, shards, tables: kindTables, sealKey, previousSealKey });
  const host = startHost({ ...ports, store, log, shards, retention });
  return {
    problem: () => host.problem,
    async stop() {
      await host.stop();
      store.close();
    },
  };
}

import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openHostStore } from '#actors/store/host-store.ts';

/** A disk in memory where there is one: a run kills the hub, not the machine, so nothing need outlive it. */
export const scratch = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

let empty: string | null = null;

/** The path of a migrated file without rows. Runs start from a copy: migrating takes longer than most runs. */
export function emptyStore(): string {
  if (empty === null) {
    const folder = mkdtempSync(join(scratch, 'parley-simulation-'));
    empty = join(folder, 'parley.db');
    openHostStore(empty, 'normal').close();
    process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  }
  return empty;
}

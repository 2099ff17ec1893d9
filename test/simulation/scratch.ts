import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openForWriting } from '#actors/store/database.ts';

/** A disk in memory where there is one: a run kills the hub, not the machine, so nothing need outlive it. */
export const scratch = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

let empty: Buffer | null = null;

/** The bytes of a migrated file without rows. Runs start from a copy: migrating takes longer than starting. */
export function emptyStore(): Buffer {
  if (empty === null) {
    const folder = mkdtempSync(join(scratch, 'parley-simulation-'));
    const file = join(folder, 'parley.db');
    openForWriting(file, 'normal').close();
    empty = readFileSync(file);
    rmSync(folder, { recursive: true });
  }
  return empty;
}

import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { Logger } from '#actors/ports.ts';
import type { Config } from '#src/config/config.ts';

/** The permission bits of who is neither the owner nor of the group. */
const others = 0o007;
/** What a data folder holds of conversations. */
const dataFiles = ['parley.db', 'parley.db-wal', 'parley.db-shm'];

/**
 * Warns of each file that other users of the machine may open. It is no reason not to start: secrets that a container
 * is given by its platform are often readable by all in it.
 */
export function warnOfExposure(configFile: string, { data }: Config, log: Pick<Logger, 'warn'>): void {
  for (const file of [configFile, ...dataFiles.map((name) => join(data.dir, name))]) {
    const mode = statSync(file, { throwIfNoEntry: false })?.mode ?? 0;
    if ((mode & others) !== 0) log.warn({ file, remedy: `chmod o= ${file}` }, 'file.open_to_others');
  }
}

import { openForMoving } from './database.ts';
import { writeAheadLog } from './write-ahead-log.ts';

/** Moves pages from the write-ahead log into the file over a connection of its own, while another one writes. */
export interface LogMover {
  /**
   * Moves what no reader needs until at most `near` pages are left, or until a further pass would leave about as many.
   * @param empty also makes the log's file empty. Nobody is waited for: a writer or a reader in the log prevents it
   * @returns whether that was done
   */
  move(near: number, empty: boolean): boolean;
  close(): void;
}

/** A pass moves what was written during the one before it; a writer that is as fast as the mover is never reached. */
const mostPasses = 8;

/**
 * @param flush forces the file to the disk. SQLite does so itself once everything is moved: then little is left to do
 *   for the writer, who moves the rest
 * @throws Error when the file does not exist
 */
export function openLogMover(file: string, flush: () => void): LogMover {
  const db = openForMoving(file);
  const log = writeAheadLog(db);
  const left = (): number => {
    const { pages, moved } = log.pages();
    return pages - moved;
  };
  return {
    move(near, empty) {
      for (let before = left(), passes = 0; before > near && passes < mostPasses; passes++) {
        log.move('PASSIVE');
        flush();
        const now = left();
        if (now > before / 2) break;
        before = now;
      }
      return empty && log.move('TRUNCATE');
    },
    close: () => db.close(),
  };
}

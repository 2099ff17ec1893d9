import type { Connection } from './database.ts';

/** A connection's hold on the file's write-ahead log. */
export interface WriteAheadLog {
  /** What it holds and what of it is in the file already, in pages. Outside of any transaction. */
  pages(): { pages: number; moved: number };
  /**
   * Moves pages into the file: `PASSIVE` those that no reader needs in the log, waiting for nobody; `TRUNCATE` all of
   * them and makes the log's file empty, unless somebody writes or reads in it. Outside of any transaction.
   * @returns whether all of them were moved, and the file is empty where that was asked
   */
  move(how: 'PASSIVE' | 'TRUNCATE'): boolean;
}

type Answer = [busy: number, pages: number, moved: number];

export function writeAheadLog(db: Connection): WriteAheadLog {
  const statement = (how: string) => db.prepare(`PRAGMA wal_checkpoint(${how})`).raw();
  const look = statement('NOOP');
  const movers = { PASSIVE: statement('PASSIVE'), TRUNCATE: statement('TRUNCATE') };
  return {
    pages() {
      const [, pages, moved] = look.get() as Answer;
      return { pages, moved };
    },
    move(how) {
      const [busy, pages, moved] = movers[how].get() as Answer;
      return busy === 0 && pages === moved;
    },
  };
}

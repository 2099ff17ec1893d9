import type { Connection } from '../store/database.ts';
import type { RowQuery } from '../store/table.ts';
import { journal, type JournalRow } from '../store/tables.ts';
import type { RowDigests } from './row-digest.ts';
import type { RowChange } from './turn.ts';

/**
 * Checks turns of which something was erased. Such a turn keeps the hash of what it was, so the chain goes on over it; what
 * is left of it is as the last turn says that erased something of it.
 */
export class ErasureCheck {
  readonly #digests: RowDigests;
  readonly #byKey: RowQuery<JournalRow>;
  /** Turns whose hash is not that of their columns. */
  readonly #changed = new Set<number>();
  /** What was left of turns: the digest, and the turn that says so. */
  readonly #erased = new Map<number, { by: string; digest: string | null }>();

  constructor(db: Connection, digests: RowDigests) {
    this.#digests = digests;
    this.#byKey = journal.query(db, 'WHERE key = ?');
  }

  /** Takes in a turn whose hash is not that of its columns. */
  changed(key: number): void {
    this.#changed.add(key);
  }

  /** Takes in what a turn left of an older one; told in the order of turns. */
  erased(by: string, { key, after }: RowChange): void {
    this.#erased.set(key, { by, digest: after });
  }

  /** Everything that is wrong, once all turns are told. */
  *problems(): Iterable<string> {
    for (const key of this.#changed) {
      if (!this.#erased.has(key)) yield `journal ${key}: its hash is not that of its columns`;
    }
    for (const [key, { by, digest }] of this.#erased) {
      const row = this.#byKey.get(key);
      // What retention has taken is gone anyway.
      if (row !== null && this.#digests.of(journal.name, row) !== digest) {
        yield `journal ${key}: it is not as ${by} left it, which erased something of it`;
      }
    }
  }
}

import { jsonText, parseJson } from '../json.ts';
import { isoTime } from '../representation.ts';
import type { Envelope } from '../runtime/envelope.ts';
import { maskedValue } from '../secrets.ts';
import { uuidToBytes } from '../uuid.ts';
import type { Connection } from '../store/database.ts';
import { type Page, pageOf, type PageQuery } from '../store/page.ts';
import { type DeadLetterRow, deadLetters } from '../store/tables.ts';

/** A command that the hub could not handle, as operators see it: what it carried that is a secret is masked. */
export interface DeadLetterJson {
  command_id: string;
  /** `revision`: that of the stored actor when the command failed, 0 for an actor that was not stored. */
  actor: { kind: string; id: string; revision: number };
  type: string;
  body: unknown;
  /** The defect, with the place in the program where it was thrown. */
  error: string;
  /** ISO 8601 UTC with milliseconds. */
  at: string;
  redriven_at: string | null;
}

export interface DeadLetterReader {
  /** Newest first; key `[at, dead letter key]`. `redriven` absent: all of them. */
  page(query: PageQuery, filter?: { redriven?: boolean }): Page<DeadLetterJson>;
  find(commandId: string): DeadLetterJson | null;
}

/** Reads the dead letters. They are few: a defect each. */
export function deadLetterReader(db: Connection): DeadLetterReader {
  const wanted = '(@redriven IS NULL OR (redriven_at IS NOT NULL) = @redriven)';
  const older = deadLetters.query(db, `WHERE ${wanted} AND (at, key) < (?, ?) ORDER BY at DESC, key DESC LIMIT ?`);
  const newer = deadLetters.query(db, `WHERE ${wanted} AND (at, key) > (?, ?) ORDER BY at, key LIMIT ?`);
  const byCommand = deadLetters.query(db, 'WHERE command_id = ?');
  const count = db.prepare(`SELECT count(*) FROM dead_letter WHERE ${wanted}`).pluck();
  return {
    page(query, { redriven } = {}) {
      const filter = { redriven: redriven === undefined ? null : Number(redriven) };
      return pageOf(
        query,
        (from, backwards, limit) => {
          const edge = backwards ? Number.MIN_SAFE_INTEGER : Number.MAX_SAFE_INTEGER;
          const [at = edge, key = edge] = from ?? [];
          return (backwards ? newer : older).iterate(at, key, limit, filter);
        },
        (row) => [row.at, row.key],
        (row) => jsonText(deadLetterJson(row)),
        count.get(filter) as number,
      );
    },
    find(commandId) {
      const row = byCommand.get(uuidToBytes(commandId));
      return row === null ? null : deadLetterJson(row);
    },
  };
}

function deadLetterJson(row: DeadLetterRow): DeadLetterJson {
  const { type, body } = parseJson(row.envelope) as Envelope;
  return {
    command_id: row.command_id,
    actor: { kind: row.actor_kind, id: row.actor_id, revision: row.actor_revision },
    type,
    body: maskedValue(body),
    error: row.error,
    at: isoTime(row.at),
    redriven_at: row.redriven_at === null ? null : isoTime(row.redriven_at),
  };
}

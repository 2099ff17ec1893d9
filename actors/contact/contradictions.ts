import { isoTime } from '../representation.ts';
import type { Contradictions } from '../runtime/kind.ts';
import type { Connection } from '../store/database.ts';

/** What contacts, their versions and their conversations show against each other. */
export const contactContradictions = (db: Connection): Contradictions => ({
  *rows() {
    yield* listed(db);
    yield* conversations(db);
    yield* owners(db);
  },
});

/** Columns that a list is made of, against the version that the contact shows, and its machine. */
function* listed(db: Connection): Iterable<string> {
  const rows = db
    .prepare(
      `SELECT c.key, c.value = '"active"' AS active, c.sort, v.sort AS shownSort, c.display_name, c.title, c.created_at,
         v.shown ->> 'display_name' AS shownName, v.shown ->> 'title' AS shownTitle, v.shown ->> 'created_at' AS shownAt
       FROM contact c LEFT JOIN contact_version v ON v.key = c.version AND v.contact = c.key`,
    )
    .iterate();
  for (const raw of rows) {
    const row = raw as Record<string, string | number | null>;
    if (row['active'] !== (row['sort'] === null ? 0 : 1)) yield `contact ${row['key']}: its machine says otherwise`;
    const same =
      row['sort'] === row['shownSort'] &&
      row['display_name'] === row['shownName'] &&
      row['title'] === row['shownTitle'] &&
      (row['sort'] === null || isoTime(row['created_at'] as number) === row['shownAt']);
    if (!same) yield `contact ${row['key']}: it lists something else than it shows`;
  }
}

/** The conversations that a contact shows, against those that are its own. */
function* conversations(db: Connection): Iterable<string> {
  const rows = db
    .prepare(
      `SELECT c.key, (SELECT count(*) FROM json_each(v.shown, '$.conversations')) AS told,
         (SELECT count(*) FROM contact_conversation o WHERE o.contact = c.key) AS own
       FROM contact c JOIN contact_version v ON v.key = c.version WHERE c.sort IS NOT NULL AND told <> own`,
    )
    .iterate();
  for (const raw of rows) {
    const { key, told, own } = raw as { key: number; told: number; own: number };
    yield `contact ${key}: it shows ${told} conversations and has ${own}`;
  }
}

/** A conversation of two contacts that are there, or of one that is gone for good. */
function* owners(db: Connection): Iterable<string> {
  const rows = db
    .prepare(
      `SELECT lower(hex(o.conversation)) AS id, sum(c.sort IS NOT NULL) AS there,
         sum(c.value IN ('"merged"', '"erased"')) AS gone
       FROM contact_conversation o JOIN contact c ON c.key = o.contact
       GROUP BY o.conversation HAVING there > 1 OR gone > 0`,
    )
    .iterate();
  for (const raw of rows) {
    const { id, there, gone } = raw as { id: string; there: number; gone: number };
    yield `conversation ${id}: ${there} contacts that are there have it, and ${gone} that are gone`;
  }
}

import type { ContactContext, Erased } from '#machines/contact.ts';
import { JsonText, jsonText } from '../json.ts';
import { type ContactJson, isoTime } from '../representation.ts';
import type { Connection } from '../store/database.ts';
import { type Page, pageOf, type PageQuery } from '../store/page.ts';
import { shardOfKey } from '../store/table.ts';
import { type WalkStart, walkStart } from '../store/walk-start.ts';
import { uuidToBytes } from '../uuid.ts';
import { type ContactPlace, contactPlaces, type FindContacts } from './places.ts';
import { type StuckStep, stuckStepsReader } from './stuck-steps.ts';
import { type ContactRow, contacts } from './tables.ts';
import { type Whereabouts, whereaboutsReader } from './whereabouts.ts';

/** Bytes of `merge_history` that are shown at most. */
const mostHistoryBytes = 1024 * 1024;

/** A contact with those that became part of it, as they were, oldest first. */
export type MergedContactJson = ContactJson & { merge_history?: ContactJson[] };

/** A contact as lists show it. */
export type ListedContact = Pick<ContactJson, 'id' | 'display_name' | 'title' | 'created_at'>;

export interface ContactReader {
  /** With what it has absorbed: the newest that fit into 1 MiB. */
  find(id: string): JsonText<MergedContactJson> | null;
  /** The contact that a conversation belongs to, also while it is on its way into another one. */
  ofConversation(conversationId: string): JsonText<MergedContactJson> | null;
  /** Where the contact went that a conversation was given, which may be part of another one; null: it was given none. */
  ownerOf(conversationId: string): Whereabouts | null;
  /** What an erasure of a contact took, once it is over; null: it is not. */
  erasedBy(id: string, erasure: number): Erased | null;
  /** Steps of a contact's erasure that became dead letters: it waits for them. */
  stuckSteps(id: string): StuckStep[];
  /** Where a contact went that was merged; `merges`: which of its merges is asked about. */
  whereabouts(id: string, merges?: number): Whereabouts;
  /**
   * By name, those without one last. A walk goes through the list of the moment at which it began, each contact as it
   * is now: key `[contact key, ...that moment]`.
   */
  page(query: PageQuery): Page<ListedContact>;
}

export function contactReader(db: Connection): ContactReader {
  const byId = db.prepare(
    'SELECT c.key, v.shown FROM contact c JOIN contact_version v ON v.key = c.version WHERE c.sort IS NOT NULL AND c.id = ?',
  );
  const contactById = contacts.query(db, 'WHERE id = ?');
  const merged = db.prepare('SELECT shown FROM contact_merge WHERE contact = ? ORDER BY key DESC').pluck();
  const owners = contacts.query(
    db,
    `WHERE key IN (SELECT contact FROM contact_conversation WHERE conversation = ?) ORDER BY sort IS NULL`,
  );
  const whereabouts = whereaboutsReader(db);
  const byKey = contacts.query(db, 'WHERE key = ?');
  const sortThen = db
    .prepare('SELECT sort FROM contact_version WHERE contact = ? AND key <= ? ORDER BY key DESC LIMIT 1')
    .pluck();
  const count = db.prepare('SELECT count(*) FROM contact WHERE sort IS NOT NULL').pluck();
  // Not before it is asked for: connections that handlers read through know no `running`.
  let places: FindContacts | null = null;

  /** Where a contact stood when a walk began; null: it was in no list. */
  const placeThen = (key: number, start: WalkStart): ContactPlace | null => {
    const last = start.find((each) => shardOfKey(each) === shardOfKey(key)) ?? 0;
    const sort = sortThen.get(key, last) as string | null | undefined;
    return sort == null ? null : { sort, id: byKey.get(key)!.id };
  };

  const find = (id: string): JsonText<MergedContactJson> | null => {
    const row = byId.get(uuidToBytes(id)) as { key: number; shown: string } | undefined;
    return row === undefined ? null : withHistory(row.shown, merged.iterate(row.key) as Iterable<string>);
  };

  const ownerOf = (conversationId: string): Whereabouts | null => {
    const owner = owners.get(uuidToBytes(conversationId));
    return owner && whereabouts(owner.id);
  };

  return {
    find,
    ofConversation(id) {
      const end = ownerOf(id)?.end ?? null;
      return end === null ? null : find(end);
    },
    ownerOf,
    erasedBy(id, erasure) {
      const row = contactById.get(uuidToBytes(id));
      if (row === null) return null;
      const { erasure: last } = JSON.parse(row.context) as ContactContext;
      const isOver = last !== null && (last.number > erasure || (last.number === erasure && row.value !== '"erasing"'));
      return isOver ? last.erased : null;
    },
    stuckSteps: stuckStepsReader(db),
    whereabouts,
    page(query) {
      places ??= contactPlaces(db);
      const findPlaces = places;
      const start = query.from?.key.slice(1) ?? walkStart(db);
      return pageOf(
        query,
        function* (from, backwards, limit) {
          const place = from && placeThen(from[0]!, start);
          for (const key of findPlaces(start, place, backwards, limit)) yield byKey.get(key)!;
        },
        ({ key }) => [key, ...start],
        (row) => jsonText(listed(row)),
        count.get() as number,
      );
    },
  };
}

/** @param newestFirst JSON texts of what it has absorbed */
function withHistory(shown: string, newestFirst: Iterable<string>): JsonText<MergedContactJson> {
  const history: string[] = [];
  let bytes = 0;
  for (const text of newestFirst) {
    bytes += Buffer.byteLength(text);
    if (bytes > mostHistoryBytes) break;
    history.push(text);
  }
  if (history.length === 0) return new JsonText(shown);
  return new JsonText(`${shown.slice(0, -1)},"merge_history":[${history.toReversed().join(',')}]}`);
}

const listed = ({ id, display_name, title, created_at }: ContactRow): ListedContact => ({
  id,
  ...(display_name !== null && { display_name }),
  ...(title !== null && { title }),
  created_at: isoTime(created_at),
});

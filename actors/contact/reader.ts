import { JsonText, jsonText } from '../json.ts';
import { type ContactJson, isoTime } from '../representation.ts';
import type { Connection } from '../store/database.ts';
import { type Page, pageOf, type PageQuery } from '../store/page.ts';
import { shardOfKey } from '../store/table.ts';
import { type WalkStart, walkStart } from '../store/walk-start.ts';
import { uuidToBytes } from '../uuid.ts';
import { type ContactPlace, contactPlaces, type FindContacts } from './places.ts';
import { type ContactRow, contacts } from './tables.ts';

/** A contact as lists show it. */
export type ListedContact = Pick<ContactJson, 'id' | 'display_name' | 'title' | 'created_at'>;

export interface ContactReader {
  find(id: string): JsonText<ContactJson> | null;
  /** The contact that a conversation belongs to. */
  ofConversation(conversationId: string): JsonText<ContactJson> | null;
  /**
   * By name, those without one last. A walk goes through the list of the moment at which it began, each contact as it
   * is now: key `[contact key, ...that moment]`.
   */
  page(query: PageQuery): Page<ListedContact>;
}

export function contactReader(db: Connection): ContactReader {
  const shown = (which: string) =>
    db
      .prepare(
        `SELECT v.shown FROM contact c JOIN contact_version v ON v.key = c.version WHERE c.sort IS NOT NULL AND ${which}`,
      )
      .pluck();
  const byId = shown('c.id = ?');
  const byConversation = shown('c.key IN (SELECT contact FROM contact_conversation WHERE conversation = ?)');
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

  return {
    find: (id) => textOf(byId.get(uuidToBytes(id))),
    ofConversation: (id) => textOf(byConversation.get(uuidToBytes(id))),
    page(query) {
      places ??= contactPlaces(db);
      const find = places;
      const start = query.from?.key.slice(1) ?? walkStart(db);
      return pageOf(
        query,
        function* (from, backwards, limit) {
          const place = from && placeThen(from[0]!, start);
          for (const key of find(start, place, backwards, limit)) yield byKey.get(key)!;
        },
        ({ key }) => [key, ...start],
        (row) => jsonText(listed(row)),
        count.get() as number,
      );
    },
  };
}

const textOf = (shown: unknown): JsonText<ContactJson> | null =>
  shown === undefined ? null : new JsonText<ContactJson>(shown as string);

const listed = ({ id, display_name, title, created_at }: ContactRow): ListedContact => ({
  id,
  ...(display_name !== null && { display_name }),
  ...(title !== null && { title }),
  created_at: isoTime(created_at),
});

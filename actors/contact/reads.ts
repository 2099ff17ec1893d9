import { parseJson } from '../json.ts';
import type { JsonObject } from '../representation.ts';
import type { Envelope } from '../runtime/envelope.ts';
import type { Connection } from '../store/database.ts';
import { keysPerShard } from '../store/table.ts';
import { type DeadLetterRow, deadLetters } from '../store/tables.ts';
import { uuidFromBytes } from '../uuid.ts';
import { contactConversations, type ContactConversationRow } from './tables.ts';

/** A part of an import that could not be handled: a dead letter. */
export interface ImportLetter {
  /** Id of the import. */
  import: string;
  commandId: string;
  /** What it says of each contact. */
  contacts: JsonObject[];
}

/** What the handlers of a contact read. */
export interface ContactReads {
  /** What a version shows: JSON text. */
  shown(version: number): string;
  /** What it showed last while it was there; null: that is not kept any more. */
  lastShown(contact: number): string | null;
  /** The contacts that it absorbed, newest first: JSON texts. */
  merged(contact: number): Iterable<string>;
  /** The same contacts by their ids, with the keys of the rows that have them. */
  merges(contact: number): { key: number; id: string }[];
  conversations(contact: number): ContactConversationRow[];
  isErased(contact: number): boolean;
  /** Versions that show something else than this text, oldest first, at most a few. */
  versionsBut(contact: number, shown: string): { key: number; shown: string }[];
  /** What imports could not handle, and is still known of it. */
  importLetters(): ImportLetter[];
  /** Keys of versions that were no longer the newest before a key, oldest first, at most a few. */
  outdated(contact: number, before: number): number[];
}

/** Versions that one command changes. */
const versionsAtOnce = 500;

/** A version that another one followed before a key. */
const followed = `EXISTS (SELECT 1 FROM contact_version n WHERE n.contact = v.contact AND n.key > v.key AND n.key < @before)`;

export function contactReads(db: Connection): ContactReads {
  const shown = db.prepare('SELECT shown FROM contact_version WHERE key = ?').pluck();
  const lastShown = db
    .prepare('SELECT shown FROM contact_version WHERE contact = ? AND sort IS NOT NULL ORDER BY key DESC LIMIT 1')
    .pluck();
  const merged = db.prepare('SELECT shown FROM contact_merge WHERE contact = ? ORDER BY key DESC').pluck();
  const merges = db.prepare("SELECT key, shown ->> 'id' AS id FROM contact_merge WHERE contact = ? ORDER BY key");
  const erased = db.prepare(`SELECT value = '"erased"' FROM contact WHERE key = ?`).pluck();
  const versionsBut = db.prepare(
    `SELECT key, shown FROM contact_version WHERE contact = ? AND shown <> ? ORDER BY key LIMIT ${versionsAtOnce}`,
  );
  const ofContact = contactConversations.query(db, 'WHERE contact = ? ORDER BY key');
  const letters = deadLetters.query(db, `WHERE actor_kind = 'contact-import' ORDER BY key`);
  const outdated = db
    .prepare(
      `SELECT v.key FROM contact_version v WHERE v.contact = @contact AND v.key < @before AND ${followed}
       ORDER BY v.key LIMIT ${versionsAtOnce}`,
    )
    .pluck();
  return {
    shown: (version) => shown.get(version) as string,
    lastShown: (contact) => (lastShown.get(contact) as string | undefined) ?? null,
    merged: (contact) => merged.iterate(contact) as Iterable<string>,
    merges: (contact) => merges.all(contact) as { key: number; id: string }[],
    conversations: (contact) => ofContact.all(contact),
    isErased: (contact) => erased.get(contact) === 1,
    versionsBut: (contact, text) => versionsBut.all(contact, text) as { key: number; shown: string }[],
    importLetters: () => letters.all().flatMap(importLetterIn),
    outdated: (contact, before) => outdated.all({ contact, before }) as number[],
  };
}

function importLetterIn({ envelope }: DeadLetterRow): ImportLetter[] {
  const { actor, commandId, body } = parseJson(envelope) as Envelope;
  const { contacts = [] } = (body ?? {}) as Partial<ImportLetter>;
  return contacts.length === 0 ? [] : [{ import: actor.id, commandId, contacts }];
}

/** Ids of contacts of a shard that have shown something else before a key, a few of them. */
export function contactsWithOldVersions(db: Connection): (shard: number, before: number) => string[] {
  const old = db
    .prepare(
      `SELECT DISTINCT c.id FROM (
         SELECT v.contact FROM contact_version v WHERE v.key >= @first AND v.key < @before AND ${followed}
         ORDER BY v.key LIMIT 200) o
       JOIN contact c ON c.key = o.contact`,
    )
    .pluck();
  return (shard, before) => (old.all({ first: shard * keysPerShard, before }) as Uint8Array[]).map(uuidFromBytes);
}

import type { Connection } from '#actors/store/database.ts';
import { keysPerShard } from '#actors/store/table.ts';
import { uuidFromBytes, uuidToBytes } from '#actors/uuid.ts';
import { type LineRow, noteLines, notes } from './tables.ts';

/** What the handlers of a note read. */
export interface NoteReads {
  line(id: string): LineRow | null;
  lineByKey(key: number): LineRow | null;
  linesBefore(note: number, before: number): LineRow[];
}

export function noteReads(db: Connection): NoteReads {
  const byId = noteLines.query(db, 'WHERE id = ?');
  const byKey = noteLines.query(db, 'WHERE key = ?');
  const before = noteLines.query(db, 'WHERE note = ? AND key < ? ORDER BY key LIMIT 100');
  return {
    line: (id) => byId.get(uuidToBytes(id)),
    lineByKey: (key) => byKey.get(key),
    linesBefore: (note, key) => before.all(note, key),
  };
}

/** Ids of notes of a shard that have lines with keys below `before`. */
export function prunableNotes(db: Connection): (shard: number, before: number) => string[] {
  const ids = db
    .prepare(
      `SELECT id FROM note WHERE key IN (SELECT note FROM note_line WHERE key >= ? AND key < ? ORDER BY key LIMIT 100)`,
    )
    .pluck();
  return (shard, before) => (ids.all(shard * keysPerShard, before) as Uint8Array[]).map(uuidFromBytes);
}

/** What the outside reads of notes. */
export interface NoteReader {
  find(id: string): { state: unknown; lines: string[] } | null;
}

export function noteReader(db: Connection): NoteReader {
  const byId = notes.query(db, 'WHERE id = ?');
  const lines = noteLines.query(db, 'WHERE note = ? ORDER BY key');
  return {
    find(id) {
      const row = byId.get(uuidToBytes(id));
      if (row === null) return null;
      return { state: JSON.parse(row.value) as unknown, lines: lines.all(row.key).map(({ text }) => text) };
    },
  };
}

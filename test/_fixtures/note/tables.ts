import { Table } from '#actors/store/table.ts';
import type { ActorRow } from '#actors/store/tables.ts';

export interface NoteRow extends ActorRow {
  channel_id: string | null;
  /** Lines that were ever written. */
  lines: number;
  /** Key of the last one. */
  last_line: number | null;
}

export interface LineRow {
  key: number;
  id: string;
  note: number;
  number: number;
  text: string;
}

export const notes = new Table<NoteRow>('note', ['id', 'channel_id']);
export const noteLines = new Table<LineRow>('note_line', ['id']);

import { Table } from '../store/table.ts';
import type { ActorRow } from '../store/tables.ts';

export interface MediaRow extends ActorRow {
  sha256: string;
  bytes: number;
  type: string;
  name: string;
  /** Epoch ms. */
  created_at: number;
  /** Key of the turn in which somebody gave it last; null: before that was counted. */
  stored: number | null;
  /** 1: nothing of it is kept but its hash. */
  erased: number | null;
}

export const media = new Table<MediaRow>('media', ['id']);

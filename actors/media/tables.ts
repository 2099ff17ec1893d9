import { Table } from '../store/table.ts';
import type { ActorRow } from '../store/tables.ts';

export interface MediaRow extends ActorRow {
  sha256: string;
  bytes: number;
  type: string;
  name: string;
  /** Epoch ms. */
  created_at: number;
}

export const media = new Table<MediaRow>('media', ['id']);

import { Table } from '../store/table.ts';
import type { ActorRow } from '../store/tables.ts';

export interface TemplateRow extends ActorRow {
  name: string;
  source: string;
  /** JSON. */
  content: string;
  /** Epoch ms. */
  created_at: number;
  deleted: number;
}

export const templates = new Table<TemplateRow>('template', ['id']);

import { Table } from '../store/table.ts';
import type { ActorRow } from '../store/tables.ts';

export interface ChannelRow extends ActorRow {
  source: string;
  source_channel_id: string;
  source_id: string | null;
  connected: number;
  /** A secret. */
  token: string | null;
  metadata: string;
  created_at: number;
}

export const channels = new Table<ChannelRow>('channel', ['id'], ['token']);

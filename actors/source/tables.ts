import { Table } from '../store/table.ts';
import type { ActorRow } from '../store/tables.ts';

export interface SourceRow extends ActorRow {
  source_id: string;
  action_endpoint: string | null;
  name: string | null;
  image_url: string | null;
  /** Epoch seconds: the `iat` of its one valid token. */
  issued_at: number;
  deleted: number;
}

/** Metadata of a source for a conversation or message that has not appeared. */
export interface ParkedMetadataRow {
  key: number;
  source_id: string;
  namespace: string;
  /** The source's own id of the conversation or message. */
  target: string;
  metadata: string;
  at: number;
}

export const sources = new Table<SourceRow>('source', ['id']);
export const parkedMetadata = new Table<ParkedMetadataRow>('parked_metadata');

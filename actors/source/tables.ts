import { parseJson } from '../json.ts';
import type { JsonObject } from '../representation.ts';
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

/** What a source has said about a conversation or message that has not appeared: one row for each name of one. */
export interface ParkedMetadataRow {
  key: number;
  source_id: string;
  namespace: string;
  /** The source's own id of the conversation or message. */
  target: string;
  /** Of a message: the source's own id of its conversation; null where it was not named. */
  conversation: string | null;
  /** Null where it was not named. */
  channel: string | null;
  /** All that was said of it, in order: a JSON array of objects. */
  said: string;
  at: number;
}

export const sources = new Table<SourceRow>('source', ['id']);
export const parkedMetadata = new Table<ParkedMetadataRow>('parked_metadata', ['channel']);

/** All that a row keeps, in the order in which it was said. */
export const saidIn = ({ said }: Pick<ParkedMetadataRow, 'said'>): JsonObject[] => parseJson(said) as JsonObject[];

import type { TagColor } from '../representation.ts';
import { Table } from '../store/table.ts';
import type { ActorRow } from '../store/tables.ts';

export interface TagRow extends ActorRow {
  name: string;
  color: TagColor;
  /** Epoch ms. */
  created_at: number;
  deleted: number;
}

/** A conversation that has told a tag that it has it. */
export interface TaggedConversationRow {
  key: number;
  /** Key of the tag. */
  tag: number;
  conversation: string;
}

export const tags = new Table<TagRow>('tag', ['id']);
export const taggedConversations = new Table<TaggedConversationRow>('tagged_conversation', ['conversation']);

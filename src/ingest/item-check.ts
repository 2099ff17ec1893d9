import { isObject } from '#actors/json.ts';
import { ownKeysIn } from '#actors/metadata.ts';
import { foreignIdProblem } from './fields.ts';
import type { MessageItem, MetadataItem } from './items.ts';

/** What of a message can not be, and why, as a part of a sentence. */
export interface MessageProblem {
  field: keyof MessageItem;
  problem: string;
}

const idsOfMessage = ['id', 'conversation', 'channel', 'sender'] as const;

/**
 * Why a message is none, whatever the compiler believes: items are made by code of connectors from what came in, and
 * what is stored is stored for good. Null: it is one.
 */
export function messageProblem(item: MessageItem): MessageProblem | null {
  for (const field of idsOfMessage) {
    const problem = foreignIdProblem(item[field]);
    if (problem !== null) return { field, problem };
  }
  if (!isJson(item.content)) return { field: 'content', problem: 'must be a JSON value' };
  if (typeof item.fromContact !== 'boolean') return { field: 'fromContact', problem: 'must be true or false' };
  return Number.isFinite(item.sentAt) ? null : { field: 'sentAt', problem: 'must be a time' };
}

/** The same of an item of metadata: a sentence. */
export function metadataProblem({ namespace, sourceId, channel, conversation, metadata }: MetadataItem): string | null {
  if (namespace !== 'conversation' && namespace !== 'message') return 'is about nothing that there is';
  for (const id of [sourceId, channel ?? sourceId, conversation ?? sourceId]) {
    const problem = foreignIdProblem(id);
    if (problem !== null) return `names its target by an id that ${problem}`;
  }
  if (!isObject(metadata)) return 'has no object of metadata';
  const own = ownKeysIn(metadata);
  return own.length === 0 ? null : `has ${own.join(' and ')}, which the hub keeps itself`;
}

/** By its outside: what is within is written as JSON, or refused, when the command is made. */
const isJson = (value: unknown): boolean =>
  value !== undefined && !['function', 'symbol', 'bigint'].includes(typeof value);

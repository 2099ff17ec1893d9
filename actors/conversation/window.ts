import { excessOf } from '../metadata.ts';
import { objectAt } from '../json.ts';
import { isoTime, type JsonObject } from '../representation.ts';
import type { InboundMessage } from './contract.ts';
import type { ConversationRuntime } from './memory.ts';
import { saveConversation } from './writer.ts';

/**
 * The contact has written: until `length` ms after that its source takes free answers, which the conversation shows as
 * `metadata.window.open_until`. It changes with each message, as the number of unread ones does, and is told with them.
 */
export function extendWindow(
  runtime: ConversationRuntime,
  length: number | undefined,
  messages: readonly InboundMessage[],
): void {
  const times = messages.filter(({ fromContact }) => fromContact).map(({ sentAt }) => sentAt);
  if (length === undefined || times.length === 0) return;
  const { metadata } = runtime.memory;
  const until = Math.max(openUntil(metadata) ?? 0, ...times.map((sentAt) => sentAt + length));
  const extended = { ...metadata, window: { open_until: isoTime(until) } };
  if (excessOf(extended) === null) saveConversation(runtime, { metadata: JSON.stringify(extended) });
}

/** Until when its source takes free answers (epoch ms); null: nothing is known of it. */
export function openUntil(metadata: JsonObject): number | null {
  const { open_until } = objectAt(metadata, 'window');
  const until = typeof open_until === 'string' ? Date.parse(open_until) : Number.NaN;
  return Number.isNaN(until) ? null : until;
}

import type { JsonObject } from '#actors/representation.ts';
import { sourceActorId } from '#actors/ids.ts';
import type { SourceCall } from '../operation.ts';

/** What a source says about one of its conversations or messages. */
export interface MetadataItem {
  namespace: 'conversation' | 'message';
  /** The source's own id. */
  sourceId: string;
  metadata: JsonObject;
}

interface Target {
  conversationId: string;
  messageId: string | null;
}

/** Merges each item into its target; what has not appeared yet is kept by the source's actor until it does. */
export async function applyMetadata(call: SourceCall, items: MetadataItem[]): Promise<void> {
  const { commands, caller } = call;
  const unknown: MetadataItem[] = [];
  const ofConversation = new Map<string, { messageId: string | null; metadata: JsonObject }[]>();
  for (const item of items) {
    const targets = targetsOf(call, item);
    if (targets.length === 0) unknown.push(item);
    for (const { conversationId, messageId } of targets) {
      const merges = ofConversation.get(conversationId) ?? [];
      merges.push({ messageId, metadata: item.metadata });
      ofConversation.set(conversationId, merges);
    }
  }
  const merging = [...ofConversation].map(async ([conversation, merges]) => {
    // One after the other: a later item about the same target wins over an earlier one.
    for (const merge of merges) await commands.send('conversation', conversation, 'metadata.merge', merge);
  });
  await Promise.all(merging);
  if (unknown.length > 0) {
    await commands.send('source', sourceActorId(caller.sourceId), 'metadata.park', { items: unknown });
  }
}

function targetsOf(
  { services, caller: { sourceId } }: SourceCall,
  { namespace, sourceId: target }: MetadataItem,
): Target[] {
  const { conversations, messages } = services.store;
  if (namespace === 'message') return messages.findBySourceId(sourceId, target);
  return conversations.findBySourceId(sourceId, target).map((conversationId) => ({ conversationId, messageId: null }));
}

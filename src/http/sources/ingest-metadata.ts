import type { JsonObject } from '#actors/representation.ts';
import { sourceActorId } from '#actors/runtime/uuid.ts';
import type { Call } from '../operation.ts';

/** What a source says about one of its conversations or messages. */
export interface MetadataItem {
  namespace: 'conversation' | 'message';
  /** The source's own id. */
  sourceId: string;
  metadata: JsonObject;
}

/** Merges each item into its target; what has not appeared yet is kept by the source's actor until it does. */
export async function applyMetadata({ commands, services, sourceId }: Call, items: MetadataItem[]): Promise<void> {
  const unknown: MetadataItem[] = [];
  for (const item of items) {
    const targets =
      item.namespace === 'conversation'
        ? services.store.conversations
            .findBySourceId(sourceId, item.sourceId)
            .map((id) => ({ conversationId: id, messageId: null }))
        : services.store.messages.findBySourceId(sourceId, item.sourceId);
    if (targets.length === 0) unknown.push(item);
    // One after the other: later items win over earlier ones about the same target.
    for (const { conversationId, messageId } of targets) {
      await commands.send('conversation', conversationId, 'metadata.merge', { messageId, metadata: item.metadata });
    }
  }
  if (unknown.length > 0) {
    await commands.send('source', sourceActorId(sourceId), 'metadata.park', { items: unknown });
  }
}

import type { JsonObject, MessageJson } from '#actors/representation.ts';
import type { SecretAnswer } from '../operation.ts';

/** Of an answer that is a message, what people wrote is not kept a second time: it stands in the message's own row. */
export const keptWithoutContent: SecretAnswer = {
  async strip(_, body) {
    const { content: __, metadata, ...kept } = body as MessageJson;
    return isEmpty(metadata) ? { ...kept, metadata } : kept;
  },
  async restore({ store }, stripped) {
    const kept = stripped as Omit<MessageJson, 'content' | 'metadata'>;
    const { content, metadata } = store.messages.find(kept.id)!.message;
    return { metadata, ...kept, content };
  },
};

const isEmpty = (metadata: JsonObject): boolean => Object.keys(metadata).length === 0;

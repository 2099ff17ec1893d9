import type { MessageJson } from '#actors/representation.ts';

/**
 * A Message as its visitor is shown it: what is listed here and nothing else. What agents, sources and the hub keep with
 * it is not for the visitor, but for the answers that are suggested.
 */
export function shownToVisitor(message: MessageJson): MessageJson {
  const { id, content, state, delivery_state, from_contact, sent_at, source, metadata, sender } = message;
  const { suggestions } = metadata;
  const { id: senderId, name, avatar_url } = sender;
  return {
    ...{ id, content, state, delivery_state, from_contact, sent_at, source },
    metadata: suggestions === undefined ? {} : { suggestions },
    sender: { id: senderId, ...(name !== undefined && { name }), ...(avatar_url !== undefined && { avatar_url }) },
  };
}

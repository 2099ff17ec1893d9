import type { Json, JsonObject } from '#actors/representation.ts';
import { idOf, objectOf, textOf, timeOf, unknownTime } from '../graph/fields.ts';
import type { Said } from '../graph/said.ts';

const second = 1_000;

/**
 * What a message says: it is one, or is about another one.
 * @param by who wrote it; the business: in its own app, not through the hub
 */
export function saidBy(message: JsonObject, channel: string, by: 'contact' | 'business'): Said | null {
  const conversation = idOf(message[by === 'contact' ? 'from' : 'to']);
  if (conversation === null) return null;
  const sentAt = timeOf(message['timestamp'], second) ?? unknownTime;
  const aboutOther = saidAbout(message, sentAt);
  if (aboutOther !== null) {
    const sourceId = idOf(aboutOther.message);
    if (sourceId === null) return null;
    return { metadata: [{ namespace: 'message', sourceId, channel, conversation, metadata: aboutOther.metadata }] };
  }
  const id = idOf(message['id']);
  if (id === null) return null;
  const fromContact = by === 'contact';
  const sender = fromContact ? conversation : channel;
  return { messages: [{ id, channel, conversation, sender, content: message, fromContact, sentAt }] };
}

/** What a message says about another one: a reaction, that it was edited, or taken back. */
function saidAbout(message: JsonObject, sentAt: number): { message: Json | undefined; metadata: JsonObject } | null {
  const { type } = message;
  const sent_at = new Date(sentAt).toISOString();
  if (type === 'reaction') {
    const { message_id, emoji } = objectOf(message['reaction']);
    const shown = textOf(emoji);
    return { message: message_id, metadata: { reaction: shown && { emoji: shown, sent_at } } };
  }
  if (type === 'edit') {
    const { original_message_id, message: edited } = objectOf(message['edit']);
    return { message: original_message_id, metadata: { edited: { ...objectOf(edited), sent_at } } };
  }
  if (type === 'revoke') {
    return { message: objectOf(message['revoke'])['original_message_id'], metadata: { deleted: true } };
  }
  return null;
}

import type { Appearance } from '../contact/contract.ts';
import { objectAt, parseJson } from '../json.ts';
import {
  type ChannelJson,
  type ConversationJson,
  type DeliveryState,
  isoTime,
  type Json,
  type JsonObject,
  type MessageJson,
} from '../representation.ts';
import type { PresentConversation } from './memory.ts';
import type { ConversationRow, MessageRow } from './tables.ts';

/** What stands in the place of the content of a message that is erased. */
export const erasedContent = { erased: true } as const;

type ShownMessage = Pick<MessageRow, 'id' | 'content' | 'state' | 'from_contact' | 'sent_at' | 'sender'>;

/** A stored message as the API shows it. */
export function messageJson(row: ShownMessage & Pick<MessageRow, 'metadata'>, source: string): MessageJson {
  const state = row.state as DeliveryState;
  return {
    id: row.id,
    content: parseJson(row.content) as Json,
    state,
    delivery_state: state,
    from_contact: row.from_contact === 1,
    sent_at: isoTime(row.sent_at),
    source,
    metadata: parseJson(row.metadata) as JsonObject,
    sender: JSON.parse(row.sender) as MessageJson['sender'],
  };
}

/** The same as JSON text, without `metadata` where the row has none: what is text in the row is not read. */
export function messageText(row: ShownMessage & { metadata?: string }, source: string): string {
  const { id, content, state, from_contact, sent_at, metadata, sender } = row;
  const shown = metadata === undefined ? '' : `"metadata":${metadata},`;
  return (
    `{"id":"${id}","content":${content},"state":"${state}","delivery_state":"${state}",` +
    `"from_contact":${from_contact === 1},"sent_at":"${isoTime(sent_at)}","source":${JSON.stringify(source)},` +
    `${shown}"sender":${sender}}`
  );
}

type Facts = Pick<ConversationRow, 'display_name' | 'unread_count' | 'workflow'>;

/** What anyone sees of a conversation's metadata: what was stored, with the facts that the hub keeps itself. */
export function conversationMetadata(facts: Facts, stored: JsonObject): JsonObject {
  const { display_name, unread_count, workflow } = facts;
  return {
    ...stored,
    contact: { ...objectAt(stored, 'contact'), displayName: display_name, display_name },
    unread_count,
    ...(workflow !== null && { state: workflow }),
  };
}

/** A conversation as the API shows it. */
export function conversationJson(
  row: PresentConversation,
  channel: ChannelJson,
  lastMessage: MessageJson | null,
): ConversationJson {
  return {
    id: row.id,
    created_at: isoTime(row.created_at),
    channel,
    metadata: conversationMetadata(row, parseJson(row.metadata) as JsonObject),
    ...(lastMessage && { last_message: lastMessage }),
    unread_count: row.unread_count,
  };
}

/** The same as JSON text. */
export function conversationText(row: PresentConversation, channel: ChannelJson, lastMessage: string | null): string {
  const { unread_count, ...shown } = conversationJson(row, channel, null);
  const last = lastMessage === null ? '' : `,"last_message":${lastMessage}`;
  return `${JSON.stringify(shown).slice(0, -1)}${last},"unread_count":${unread_count}}`;
}

/** Characters of a name that are shown. */
const longestName = 255;

/** What a conversation that has appeared tells its contact of the person in it. */
export function appearanceOf(
  { id, source, display_name }: Pick<ConversationRow, 'id' | 'source' | 'display_name'>,
  stored: JsonObject,
): Appearance {
  const { avatar_url } = objectAt(stored, 'contact');
  return {
    ...{ conversationId: id, source, displayName: display_name },
    ...(typeof avatar_url === 'string' && { avatarUrl: avatar_url }),
  };
}

/** Everything was erased, and nobody has written since: where the conversation is at its source is not known. */
export const isErased = (row: Pick<ConversationRow, 'erased_before' | 'source_conversation_id'>): boolean =>
  row.erased_before !== null && row.source_conversation_id === '';

/** What a conversation is called: the name that an agent gave wins over what its source says in the metadata. */
export function displayNameOf(row: Pick<ConversationRow, 'id' | 'source' | 'agent_name'>, stored: JsonObject): string {
  const said = objectAt(stored, 'contact').display_name;
  if (row.agent_name !== null) return row.agent_name;
  if (typeof said !== 'string' || said === '') return defaultDisplayName(row.source, row.id);
  // Contacts name themselves: a long name must not make their source's push fail.
  return said.length <= longestName ? said : [...said].slice(0, longestName).join('');
}

/** The name of a contact that nobody named: last part of the source, capitalised, and the end of the conversation's id. */
export function defaultDisplayName(source: string, conversationId: string): string {
  const part = source.slice(source.lastIndexOf('.') + 1);
  return `${part.charAt(0).toUpperCase()}${part.slice(1)} ${conversationId.slice(-5)}`;
}

/** The row without some of the tags that its metadata has. */
export function withoutTags<Row extends Pick<ConversationRow, 'metadata'>>(
  row: Row,
  isGone: (tag: string) => boolean,
): Row {
  if (!row.metadata.includes('"tags":{')) return row;
  const stored = parseJson(row.metadata) as JsonObject;
  const kept = Object.entries(objectAt(stored, 'tags')).filter(([tag]) => !isGone(tag));
  return { ...row, metadata: JSON.stringify(withTags(stored, Object.fromEntries(kept))) };
}

/** Metadata with these tags in the place of those that it has. */
export function withTags({ tags: _, ...others }: JsonObject, tags: JsonObject): JsonObject {
  return Object.keys(tags).length === 0 ? others : { ...others, tags };
}

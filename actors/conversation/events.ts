import { parseJson } from '../json.ts';
import { isoTime, type Json, type JsonObject } from '../representation.ts';
import type { EventRenderer } from '../journal/turn.ts';
import type { Connection, Statement } from '../store/database.ts';
import { uuidFromBytes } from '../uuid.ts';
import { type ConversationMemory, isPresent } from './memory.ts';
import { conversationMetadata, defaultDisplayName, messageText } from './representation.ts';
import type { ConversationRow, MessageRow } from './tables.ts';

/**
 * What turns keep of a conversation's events. Rows are referred to by their keys as far as their columns never change;
 * what can change later stands here, where it is not its default, so that an event always renders the same.
 */
interface KeptMessage {
  /** Key of the message. */
  m: number;
  /** Its delivery state; absent: `delivered`. */
  s?: string;
  /** Its metadata; absent: none. */
  md?: JsonObject;
  /** Its conversation had not appeared: nothing else was known of it. */
  a?: true;
}

interface KeptConversation {
  /** Unread messages. */
  u: number;
  /** The workflow state; absent: none. */
  w?: string;
  /** The display name; absent: the default one. */
  n?: string;
  /** The stored metadata; absent: none. */
  md?: JsonObject;
  /** Key of the last message, and its delivery state where it is not `delivered`. */
  l?: number;
  ls?: string;
}

const isEmpty = (object: JsonObject): boolean => Object.keys(object).length === 0;

/** What `message.created` and `message.updated` keep, and `metadata.updated` of a message. */
export function keptMessage(row: Pick<MessageRow, 'key' | 'state' | 'metadata'>): KeptMessage {
  return {
    m: row.key,
    ...(row.state !== 'delivered' && { s: row.state }),
    ...(row.metadata !== '{}' && { md: parseJson(row.metadata) as JsonObject }),
  };
}

/** What events of messages keep besides while their conversation has not appeared. */
export const keptAbsence = (row: Readonly<ConversationRow>): Pick<KeptMessage, 'a'> =>
  isPresent(row) ? {} : { a: true };

/** What `metadata.updated` of a conversation keeps. */
export const keptFacts = (row: Readonly<ConversationRow>, { metadata }: ConversationMemory): KeptConversation => ({
  u: row.unread_count,
  ...(row.workflow !== null && { w: row.workflow }),
  ...(row.display_name !== defaultDisplayName(row.source, row.id) && { n: row.display_name }),
  ...(!isEmpty(metadata) && { md: metadata }),
});

/** What `conversation.updated` keeps. `lastState`: delivery state of the last message. */
export function keptConversation(
  row: Readonly<ConversationRow>,
  memory: ConversationMemory,
  lastState: string,
): KeptConversation {
  return {
    ...keptFacts(row, memory),
    ...(row.last_message !== null && { l: row.last_message, ...(lastState !== 'delivered' && { ls: lastState }) }),
  };
}

/**
 * What stays of what an event keeps, once its conversation is erased.
 * @param isOld it was told before that
 * @param before messages with lower keys are erased
 */
export function redactedEvent(data: Json, isOld: boolean, before: number): Json {
  const { md: _, n: __, ...kept } = data as JsonObject;
  const isErased = 'm' in kept ? (kept['m'] as number) < before : isOld;
  return isErased ? kept : data;
}

type FixedMessage = Pick<MessageRow, 'sent_at' | 'from_contact' | 'sender' | 'content'> & { id: string };
type FixedConversation = { id: string; channelId: string; source: string; createdAt: number };

/** Rows that are remembered: their columns that are read here never change. */
const remembered = 1_000;

/** Makes payloads, as text: the content of a message is JSON text already, and stays as it was given. */
export function conversationRenderers(
  db: Connection,
): Record<'message.created' | 'message.updated' | 'conversation.updated' | 'metadata.updated', EventRenderer> {
  const messageOf = remembering(
    db.prepare('SELECT id, sent_at, from_contact, sender, content FROM message WHERE key = ?'),
    (raw): FixedMessage => ({ ...(raw as FixedMessage), id: uuidFromBytes((raw as { id: Uint8Array }).id) }),
  );
  const conversationOf = remembering(
    db.prepare(
      `SELECT id, channel_id AS channelId, source, created_at AS createdAt FROM conversation
       WHERE key = ? AND created_at IS NOT NULL`,
    ),
    (raw): FixedConversation => {
      const { id, channelId } = raw as { id: Uint8Array; channelId: Uint8Array };
      return { ...(raw as FixedConversation), id: uuidFromBytes(id), channelId: uuidFromBytes(channelId) };
    },
  );
  const conversationId = remembering(db.prepare('SELECT id FROM conversation WHERE key = ?').pluck(), (id) =>
    uuidFromBytes(id as Uint8Array),
  );
  const message = (data: Json, key: number): string => {
    const { m, s = 'delivered', md = {}, a: isAbsent = false } = data as unknown as KeptMessage;
    const shown = { ...messageOf(m), state: s, metadata: JSON.stringify(md) };
    if (isAbsent) return `{"conversation_id":"${conversationId(key)}","message":${messageText(shown, '')}}`;
    const { id, channelId, source } = conversationOf(key);
    const text = messageText(shown, source);
    return `{"conversation_id":"${id}","channel_id":"${channelId}","message":${text}}`;
  };
  return {
    'message.created': (data, { key }) => message(data, key),
    'message.updated': (data, { key }) => message(data, key),
    'conversation.updated'(data, { key }) {
      const { l, ls = 'delivered', ...facts } = data as unknown as KeptConversation;
      const conversation = conversationOf(key);
      const { id, channelId, source, createdAt } = conversation;
      const last = l === undefined ? '' : `,"last_message":${messageText({ ...messageOf(l), state: ls }, source)}`;
      const metadata = JSON.stringify(metadataOf(facts, conversation));
      return `{"id":"${id}","created_at":"${isoTime(createdAt)}","channel_id":"${channelId}","metadata":${metadata}${last}}`;
    },
    'metadata.updated'(data, { key }) {
      const kept = data as unknown as KeptMessage | KeptConversation;
      if ('m' in kept) {
        const { m, md = {} } = kept;
        return metadataText('message', messageOf(m).id, md);
      }
      const conversation = conversationOf(key);
      return metadataText('conversation', conversation.id, metadataOf(kept, conversation));
    },
  };
}

const metadataOf = ({ u, w, n, md = {} }: KeptConversation, { id, source }: FixedConversation): JsonObject =>
  conversationMetadata({ unread_count: u, workflow: w ?? null, display_name: n ?? defaultDisplayName(source, id) }, md);

const metadataText = (subject: string, identifier: string, metadata: JsonObject): string =>
  JSON.stringify({ subject, identifier, metadata });

function remembering<T>(statement: Statement, toValue: (raw: unknown) => T): (key: number) => T {
  const known = new Map<number, T>();
  return (key) => {
    let value = known.get(key);
    if (value === undefined) {
      const raw = statement.get(key);
      if (raw === undefined) throw new Error(`An event refers to the row ${key}, which is not there.`);
      value = toValue(raw);
      if (known.size >= remembered) known.clear();
      known.set(key, value);
    }
    return value;
  };
}

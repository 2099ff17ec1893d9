import { mediaActorId } from '../ids.ts';
import { parseJson } from '../json.ts';
import { filesIn } from '../media-address.ts';
import type { Json, MessageJson } from '../representation.ts';
import type { Columns } from '../runtime/kind.ts';
import type { ConversationOrigin } from './contract.ts';
import { keptAbsence, keptConversation, keptFacts, keptMessage } from './events.ts';
import { type ConversationRuntime, presentConversation } from './memory.ts';
import { defaultDisplayName, messageJson } from './representation.ts';
import { type ConversationRow, messageMedia, messages, type MessageRow } from './tables.ts';

/** Makes the conversation one that has appeared. */
export function createConversation(runtime: ConversationRuntime, origin: ConversationOrigin): void {
  runtime.save({
    channel_id: origin.channelId,
    source: origin.source,
    source_conversation_id: origin.sourceConversationId,
    created_at: runtime.now,
    display_name: defaultDisplayName(origin.source, runtime.actor.id),
  });
}

/** Changes columns of the conversation's row. */
export function saveConversation(runtime: ConversationRuntime, columns: Partial<Columns<ConversationRow>>): void {
  runtime.save(columns);
  if (columns.metadata !== undefined) runtime.memory.metadata = parseJson(columns.metadata) as MessageJson['metadata'];
}

/** Emits `conversation.updated` with the conversation as it is now. */
export function announceConversation(runtime: ConversationRuntime): void {
  const row = presentConversation(runtime);
  runtime.emit('conversation.updated', { ...keptConversation(row, runtime.memory, lastStateOf(runtime)) });
}

function lastStateOf({ memory, row, reads }: ConversationRuntime): string {
  memory.lastState ??= (row.last_message === null ? null : reads.messageByKey(row.last_message)?.state) ?? 'delivered';
  return memory.lastState;
}

/** Emits `metadata.updated` with the full current metadata of the conversation. */
export function announceConversationMetadata(runtime: ConversationRuntime): void {
  runtime.emit('metadata.updated', { ...keptFacts(presentConversation(runtime), runtime.memory) });
}

/** Emits `metadata.updated` with the full current metadata of a message. */
export function announceMessageMetadata(runtime: ConversationRuntime, row: MessageRow): void {
  const { m, md } = keptMessage(row);
  runtime.emit('metadata.updated', { m, ...(md && { md }) });
}

/** A new message, before it has a key. */
export interface NewMessage {
  id: string;
  /** Key of the turn that took it in. */
  turn: number;
  sourceMessageId: string | null;
  sentAt: number;
  fromContact: boolean;
  sender: MessageJson['sender'];
  content: Json;
  state: 'pending' | 'delivered';
}

/** Stores a message, emits `message.created` and makes it the conversation's last one unless a younger one is there. */
export function addMessage(
  runtime: ConversationRuntime,
  message: NewMessage,
  key: number,
  delivery: string | null,
): MessageRow {
  const { messages: count, last_message_at } = runtime.row;
  const row: MessageRow = {
    key,
    id: message.id,
    conversation: runtime.actor.key,
    turn: message.turn,
    source_message_id: message.sourceMessageId,
    sent_at: message.sentAt,
    from_contact: message.fromContact ? 1 : 0,
    sender: JSON.stringify(message.sender),
    content: JSON.stringify(message.content),
    metadata: '{}',
    echo_id: null,
    state: message.state,
    delivery,
  };
  runtime.change(messages.insert(row));
  keepFiles(runtime, key, filesIn(row.content));
  runtime.emit('message.created', { ...keptMessage(row), ...keptAbsence(runtime.row) });
  const isLast = message.sentAt >= last_message_at;
  runtime.save({ messages: count + 1, ...(isLast && { last_message: key, last_message_at: message.sentAt }) });
  if (isLast) runtime.memory.lastState = message.state;
  return row;
}

/** Keeps which files a message shows: those are not removed with another one that is erased. */
function keepFiles(runtime: ConversationRuntime, message: number, files: readonly string[]): void {
  for (const file of files) {
    runtime.change(messageMedia.insert({ key: runtime.nextKey(), message, media: mediaActorId(file) }));
  }
}

/** Changes columns of a message and emits `message.updated`. */
export function updateMessage(
  runtime: ConversationRuntime,
  row: MessageRow,
  columns: Partial<MessageRow>,
): MessageJson {
  runtime.change(messages.update(row.key, columns));
  const shown = filesIn(row.content + row.metadata);
  // What its metadata showed before is kept with it: whoever looked may look again.
  const added = filesIn(columns.metadata ?? '').filter((file) => !shown.includes(file));
  keepFiles(runtime, row.key, added);
  const changed = { ...row, ...columns };
  if (runtime.row.last_message === row.key) runtime.memory.lastState = changed.state;
  runtime.emit('message.updated', { ...keptMessage(changed), ...keptAbsence(runtime.row) });
  return messageJson(changed, runtime.row.source);
}

import { nothingErased, type ErasureOf } from '#machines/contact.ts';
import { contactActor } from '../contact/contract.ts';
import { idempotencyKeyActor } from '../idempotency-key/contract.ts';
import { erasedNameOf, messageId } from '../ids.ts';
import { objectAt } from '../json.ts';
import { releaseFiles } from '../media/contract.ts';
import type { Handlers } from '../runtime/kind.ts';
import type { Redaction } from '../runtime/erased-turns.ts';
import { sourceActor } from '../source/contract.ts';
import { tagActor } from '../tag/contract.ts';
import { conversationActor, type ConversationCommands, type ConversationErasure } from './contract.ts';
import { stepDelivery } from './delivery.ts';
import { knownByEcho, releaseEchoes } from './echoes.ts';
import { redactedEvent } from './events.ts';
import { tellContact } from './ingest.ts';
import { type ConversationRuntime, isPresent } from './memory.ts';
import { defaultDisplayName, erasedContent, isErased } from './representation.ts';
import { type MessageRow, messageMedia, messages, parkedSends } from './tables.ts';
import { announceConversation, announceConversationMetadata, saveConversation } from './writer.ts';

type ErasureHandlers = Pick<
  Handlers<ConversationRuntime, ConversationCommands>,
  'conversation.erase' | 'conversation.erase-messages' | 'conversation.erase-turns' | 'conversation.introduce'
>;

const contentText = JSON.stringify(erasedContent);
const erasedSender = JSON.stringify({ id: '' });

/**
 * Erasing what a conversation holds of its person: in one turn what it shows itself, then its messages and what its turns
 * told, part by part. Its messages stay as ids and times, so that one that its source pushes again is known (decision 36).
 */
export const erasureHandlers: ErasureHandlers = {
  'conversation.erase'(runtime, { partOf }) {
    if (isPresent(runtime.row)) begin(runtime, partOf);
    else
      runtime.tell(contactActor(partOf.contact), 'contact.part-erased', {
        erasure: partOf.erasure,
        erased: nothingErased,
      });
    return null;
  },

  'conversation.erase-messages'(runtime, erasure) {
    const rows = runtime.reads.messagesToErase(runtime.actor.key, erasure);
    for (const row of rows) eraseMessage(runtime, row);
    runtime.signal('erased');
    releaseFiles(runtime, erasure.partOf, rows.map(({ content, metadata }) => content + metadata).join());
    const last = rows.at(-1);
    if (last === undefined) eraseTurns(runtime, erasure);
    else {
      const after = { sentAt: last.sent_at, key: last.key };
      goOn(runtime, 'conversation.erase-messages', { ...erasure, after, messages: erasure.messages + rows.length });
    }
    return null;
  },

  'conversation.erase-turns'(runtime, erasure) {
    eraseTurns(runtime, erasure);
    return null;
  },

  'conversation.introduce'(runtime) {
    if (!isErased(runtime.row)) tellContact(runtime);
    return null;
  },
};

function begin(runtime: ConversationRuntime, partOf: ErasureOf): void {
  const { row, actor, reads, memory } = runtime;
  runtime.tell(sourceActor(row.source), 'metadata.forget', {
    conversationId: actor.id,
    channelId: row.channel_id!,
    sourceConversationId: row.source_conversation_id,
  });
  for (const tag of Object.keys(objectAt(memory.metadata, 'tags'))) {
    runtime.tell(tagActor(tag), 'tag.detached', { conversationId: actor.id });
  }
  for (const { key } of reads.parkedSends(actor.key)) runtime.change(parkedSends.remove(key));
  runtime.step({ type: 'echo.settle' });
  // As messages they stay known when they are pushed again.
  releaseEchoes(runtime);
  runtime.step({ type: 'read' });
  runtime.step({ type: 'typing.ended' });
  const [since, before] = [row.erased_before ?? 0, runtime.nextKey()];
  releaseFiles(runtime, partOf, row.metadata);
  if (!isErased(row)) runtime.save({ erased_name: erasedNameOf(row.source, row.source_conversation_id) });
  saveConversation(runtime, {
    ...{ erased_before: before, source_conversation_id: '', unread_count: 0, metadata: '{}', agent_name: null },
    display_name: defaultDisplayName(row.source, actor.id),
  });
  runtime.eraseLetters();
  announceConversationMetadata(runtime);
  announceConversation(runtime);
  goOn(runtime, 'conversation.erase-messages', { partOf, since, before, turn: runtime.turn, messages: 0 });
}

/** Keeps that there was a message, and when. */
function eraseMessage(runtime: ConversationRuntime, row: MessageRow): void {
  const { actor, row: conversation, reads } = runtime;
  const withdrawn = stepDelivery(
    runtime,
    row,
    { type: 'withdraw', error: 'It was erased before it was sent.' },
    () => ({}),
  );
  for (const key of reads.mediaOf(row.key)) runtime.change(messageMedia.remove(key));
  for (const id of reads.keysShowing(row.id)) runtime.tell(idempotencyKeyActor(id), 'key.erase', {});
  const { source_message_id } = row;
  runtime.change(
    messages.update(row.key, {
      ...{ content: contentText, metadata: '{}', delivery: null, source_message_id: null },
      ...(row.from_contact === 1 && { sender: erasedSender }),
      state: withdrawn?.row.state ?? row.state,
      // Its source may still push it: the id of that leads to it.
      ...(source_message_id !== null &&
        knownByEcho(runtime, row, messageId(actor.id, conversation.source, source_message_id))),
    }),
  );
}

/** What turns told of before, and the steps of deliveries that are no more. */
function eraseTurns(runtime: ConversationRuntime, erasure: ConversationErasure): void {
  const { before, turn, from, partOf, messages: count } = erasure;
  const redaction: Redaction = {
    event: ({ data }, told) => redactedEvent(data, told <= turn, before),
    forgets: (subject) => subject < before,
  };
  const next = runtime.eraseTurns(redaction, from);
  if (next !== null) {
    goOn(runtime, 'conversation.erase-turns', { ...erasure, from: next });
    return;
  }
  const erased = { ...nothingErased, conversations: 1, messages: count };
  runtime.tell(contactActor(partOf.contact), 'contact.part-erased', { erasure: partOf.erasure, erased });
}

const goOn = (
  runtime: ConversationRuntime,
  command: 'conversation.erase-messages' | 'conversation.erase-turns',
  erasure: ConversationErasure,
): void => runtime.tell(conversationActor(runtime.actor.id), command, erasure);

import { contactActor } from '../contact/contract.ts';
import { Failure } from '../errors.ts';
import { contactOfConversation } from '../ids.ts';
import type { JsonObject } from '../representation.ts';
import type { ConversationCommands, ConversationOrigin, InboundMessage, IngestedMessage } from './contract.ts';
import { mayEcho, parkEcho } from './echoes.ts';
import { askFor, profileFetch } from './fetches.ts';
import { receive } from './inbound.ts';
import { type ConversationRuntime, isPresent } from './memory.ts';
import { applyParkedToConversation } from './parked-metadata.ts';
import { releaseParked } from './parking.ts';
import type { ConversationReads } from './reads.ts';
import { appearanceOf, erasedContent, isErased } from './representation.ts';
import { hearOfConversation } from './said.ts';
import { extendWindow } from './window.ts';
import { announceConversationMetadata, createConversation, saveConversation } from './writer.ts';

type Ingest = ConversationCommands['messages.ingest'];

/**
 * Makes the conversation appear when it is new: sends that waited for it go out first. One that was erased gets a contact
 * again.
 * @param said of it by its source
 */
export function openConversation(
  runtime: ConversationRuntime,
  origin: ConversationOrigin,
  said: readonly JsonObject[] = [],
): void {
  if (isErased(runtime.row)) reopenConversation(runtime, origin, said);
  else if (!isPresent(runtime.row)) openNewConversation(runtime, origin, said);
  else if (hearOfConversation(runtime, said)) announceConversationMetadata(runtime);
}

function openNewConversation(
  runtime: ConversationRuntime,
  origin: ConversationOrigin,
  said: readonly JsonObject[],
): void {
  createConversation(runtime, origin);
  applyParkedToConversation(runtime);
  hearOfConversation(runtime, said);
  if (origin.profile) askFor(runtime, profileFetch, runtime.actor.key);
  if (origin.contact) tellContact(runtime);
  const { effects } = runtime.step({ type: 'open' });
  if (effects.some((effect) => effect.type === 'releaseParked')) releaseParked(runtime);
}

function reopenConversation(
  runtime: ConversationRuntime,
  origin: ConversationOrigin,
  said: readonly JsonObject[],
): void {
  saveConversation(runtime, { source_conversation_id: origin.sourceConversationId });
  applyParkedToConversation(runtime);
  hearOfConversation(runtime, said);
  if (origin.profile) askFor(runtime, profileFetch, runtime.actor.key);
  if (origin.contact) tellContact(runtime);
}

/** A contact hears once of its conversation: later messages cost it nothing. */
export function tellContact(runtime: ConversationRuntime): void {
  const { actor, row, memory } = runtime;
  const appearance = appearanceOf(row, memory.metadata);
  runtime.tell(contactActor(contactOfConversation(actor.id)), 'contact.appear', appearance);
}

/** A message that is stored already, as the answer of an ingest names it. */
function knownMessage(
  reads: ConversationReads,
  actor: { key: number; id: string },
  { id, sourceMessageId }: InboundMessage,
  commandId: string,
): IngestedMessage | null {
  const about = { source_message_id: sourceMessageId, conversation_id: actor.id };
  const stored = reads.message(id) ?? reads.parkedEcho(id);
  // The same command again: its message is no duplicate of itself.
  if (stored !== null) {
    return { ...about, id, duplicate: reads.commandOf(stored.turn) !== commandId.replaceAll('-', '') };
  }
  // A message that we sent and its source echoes has the source's id, under our own id.
  const own = reads.ownBySourceId(actor.key, sourceMessageId) ?? reads.messageByEcho(id);
  return own === null ? null : { ...about, id: own.id, duplicate: true };
}

/** The answers for messages that are stored already; null in the place of one that is not. */
function knownOf(
  reads: ConversationReads,
  actor: { key: number; id: string },
  messages: readonly InboundMessage[],
  commandId: string,
): (IngestedMessage | null)[] {
  const met = new Set<string>();
  return messages.map((message) => {
    const again = met.has(message.id);
    met.add(message.id);
    const answer = knownMessage(reads, actor, message, commandId);
    return answer === null ? null : { ...answer, duplicate: answer.duplicate || again };
  });
}

/** The answer of an ingest that was handled already: all of its messages are there, and its turn made one of them. */
export function recogniseIngest(
  reads: ConversationReads,
  actor: { key: number; id: string },
  { messages }: Ingest['body'],
  commandId: string,
): Ingest['result'] | null {
  const answers = knownOf(reads, actor, messages, commandId).filter((answer) => answer !== null);
  const isOurs = answers.length === messages.length && answers.some(({ duplicate }) => !duplicate);
  return isOurs ? { messages: answers } : null;
}

export function ingestMessages(
  runtime: ConversationRuntime,
  { origin, messages, said }: Ingest['body'],
): Ingest['result'] {
  const { reads, actor, commandId } = runtime;
  const known = knownOf(reads, actor, messages, commandId);
  const added = unknownOf(messages, known);
  // What the caller knew of the channel may be out of date by now.
  if (added.size > 0) mustBeConnected(reads, origin.channelId);
  const taken = [...added.values()];
  // Only the person comes back: neither what is pushed again nor what is pushed of our side brings anything back.
  const staysErased = isErased(runtime.row) && !taken.some(({ fromContact }) => fromContact);
  if (!staysErased) {
    openConversation(runtime, origin, said);
    extendWindow(runtime, origin.window, taken);
  }
  if (taken.length > 0) takeIn(runtime, staysErased ? taken.map(withoutContent) : taken);
  const answers = messages.map(({ id, sourceMessageId }, i): IngestedMessage => {
    // Of the repetitions within the request the first is the one that was added.
    const duplicate = !added.delete(id);
    return known[i] ?? { source_message_id: sourceMessageId, id, conversation_id: actor.id, duplicate };
  });
  return { messages: answers };
}

const withoutContent = (message: InboundMessage): InboundMessage => ({ ...message, content: erasedContent });

/** Stores messages that are new; those that may be echoes are kept aside until that is known. */
function takeIn(runtime: ConversationRuntime, messages: readonly InboundMessage[]): void {
  const mayBeEchoes = messages.some(({ fromContact }) => !fromContact) && mayEcho(runtime);
  const isAside = ({ fromContact }: InboundMessage): boolean => !fromContact && mayBeEchoes;
  for (const message of messages.filter(isAside)) parkEcho(runtime, message);
  const shown = messages.filter((message) => !isAside(message));
  if (shown.length > 0) receive(runtime, shown);
}

/** The messages that are not stored, by their id: of one that is repeated, the first. */
function unknownOf(
  messages: readonly InboundMessage[],
  known: readonly (IngestedMessage | null)[],
): Map<string, InboundMessage> {
  const unknown = new Map<string, InboundMessage>();
  for (const [i, message] of messages.entries()) {
    if (known[i] === null && !unknown.has(message.id)) unknown.set(message.id, message);
  }
  return unknown;
}

/** @throws Failure `channel_not_connected` */
function mustBeConnected(reads: ConversationReads, channel: string): void {
  if (reads.isConnected(channel)) return;
  throw new Failure('channel_not_connected', `The channel ${channel} is not connected. Connect it again first.`);
}

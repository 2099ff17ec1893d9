import { namespaces } from '../ids.ts';
import { outbox } from '../store/tables.ts';
import { uuidV5 } from '../uuid.ts';
import type { ConversationCommands } from './contract.ts';
import { type ConversationRuntime, isPresent } from './memory.ts';
import { hearOfConversation, hearOfMessage } from './said.ts';
import { announceConversation, announceConversationMetadata } from './writer.ts';

/**
 * What is asked of a source beside its messages, each as an effect with a lane of its own: a platform that does not answer
 * holds up no message.
 */

/** Who the contact is. Its subject: the conversation. */
export const profileFetch = 'profile-fetch';
/** The files of a message. Its subject: the message. */
export const mediaFetch = 'media-fetch';
/** The contact is to see that their messages were read. Its subject: the conversation. */
export const readMark = 'read-mark';

export type FetchKind = typeof profileFetch | typeof mediaFetch | typeof readMark;

/** Has something fetched. @param subject key of the row that it is about */
export function askFor(runtime: ConversationRuntime, kind: FetchKind, subject: number): void {
  // One that waits already asks for the same.
  if (runtime.effectOf(subject, kind) !== null) return;
  const key = runtime.nextKey();
  runtime.change(
    outbox.insert({
      ...{ key, id: uuidV5(namespaces.command, kind, runtime.commandId, String(subject)), kind, lane: key, subject },
      ...{ ready: 1, body: null, at: runtime.now },
    }),
  );
}

type Finish = ConversationCommands['fetch.finish'];

export function finishFetch(runtime: ConversationRuntime, { effect, said }: Finish['body']): null {
  if (!runtime.reads.isWaiting(effect)) return null;
  runtime.change(outbox.remove(effect));
  if (said !== null && isPresent(runtime.row)) hear(runtime, said);
  return null;
}

function hear(runtime: ConversationRuntime, { messageId, metadata }: NonNullable<Finish['body']['said']>): void {
  if (messageId === null) {
    if (!hearOfConversation(runtime, metadata)) return;
    announceConversationMetadata(runtime);
    announceConversation(runtime);
    return;
  }
  const row = runtime.reads.message(messageId);
  if (row !== null) hearOfMessage(runtime, row, metadata, 'left out');
}

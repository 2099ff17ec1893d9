import { Failure } from '#actors/errors.ts';
import type { MessageReader } from '#actors/conversation/message-reader.ts';
import type { Services } from '#src/services.ts';

/** A message that is there, and the conversation whose actor owns it. @throws Failure `not_found` */
export function existingMessage(
  { store }: Services,
  messageId: string,
): NonNullable<ReturnType<MessageReader['find']>> {
  const found = store.messages.find(messageId);
  if (found === null) throw new Failure('not_found', `There is no message ${messageId}.`);
  return found;
}

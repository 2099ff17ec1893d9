import { Failure } from '#actors/errors.ts';
import type { Services } from '#src/services.ts';

/** The conversation that a message belongs to: its actor owns the message. @throws Failure `not_found` */
export function conversationOf({ store }: Services, messageId: string): string {
  const found = store.messages.find(messageId);
  if (found === null) throw new Failure('not_found', `There is no message ${messageId}.`);
  return found.conversationId;
}

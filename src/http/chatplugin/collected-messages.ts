import { requestCause } from '#actors/cause.ts';
import { parseJson } from '#actors/json.ts';
import type { MessageJson } from '#actors/representation.ts';
import type { VisitClaims } from '#src/security/visitor-token.ts';
import { shownToVisitor } from '#src/security/visitor-view.ts';
import type { Call } from '../operation.ts';

/** The newest ones, as many as a page holds. */
const most = 1_000;

/**
 * The newest Messages of a visitor's conversation, oldest first, but for those that failed: nobody has sent them. The
 * visitor has them from now on, so those that were on their way are delivered.
 */
export async function collectedMessages(
  { services, requestId }: Pick<Call, 'services' | 'requestId'>,
  { conversationId }: VisitClaims,
): Promise<MessageJson[]> {
  const { items } = services.store.messages.page(conversationId, { limit: most, from: null }, 'desc');
  const newest = items.map(({ text }) => parseJson(text) as MessageJson).filter(({ state }) => state !== 'failed');
  const messages = newest.reverse().map(shownToVisitor);
  const messageIds = messages.filter(({ state }) => state === 'pending').map(({ id }) => id);
  if (messageIds.length === 0) return messages;
  const caller = `visitor ${conversationId}`;
  const commands = services.commandsFor({ cause: requestCause(caller, requestId), caller });
  await commands.send('conversation', conversationId, 'messages.collect', { messageIds });
  const taken = new Set(messageIds);
  return messages.map((message) => (taken.has(message.id) ? { ...message, ...delivered } : message));
}

const delivered = { state: 'delivered', delivery_state: 'delivered' } as const;

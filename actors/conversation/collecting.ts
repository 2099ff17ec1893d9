import type { ConversationCommands } from './contract.ts';
import { stepDelivery } from './delivery.ts';
import { type ConversationRuntime, ownMessage } from './memory.ts';
import type { ConversationReads } from './reads.ts';

type Collect = ConversationCommands['messages.collect'];

/** What the contact came for is delivered. */
export function collectMessages(runtime: ConversationRuntime, { messageIds }: Collect['body']): Collect['result'] {
  for (const id of messageIds) stepDelivery(runtime, ownMessage(runtime, id), { type: 'collected' });
  return { collected: messageIds };
}

/** They are all with the contact already. */
export function recogniseCollect(
  reads: ConversationReads,
  _: { key: number; id: string },
  { messageIds }: Collect['body'],
): Collect['result'] | null {
  const areThere = messageIds.every((id) => reads.message(id)?.state === 'delivered');
  return areThere ? { collected: messageIds } : null;
}

import type { ActorAddress } from '#actors/runtime/envelope.ts';

/** Every subject of the hub is built here and nowhere else. */
const root = 'parley';

/** Where a command for an actor goes: names the shard, the kind and the id. */
export const workSubject = (shard: number, actor: ActorAddress): string =>
  `${root}.work.${shard}.${actor.kind}.${actor.id}`;

/** What the owner of a shard subscribes to. */
export const workOfShard = (shard: number): string => `${root}.work.${shard}.>`;

/** Published after a commit; names what grew in the shard (`runtime/signal.ts`), without data: readers read the store. */
export const grewSubject = (shard: number): string => `${root}.grew.${shard}`;

/** Every shard's "it grew". */
export const grewOfAnyShard = `${root}.grew.*`;

/** Published while an agent types in a conversation: heard or lost, it is kept nowhere. */
export const typingSubject = (conversationId: string): string => `${root}.typing.${conversationId}`;

/** Agents who type, in every conversation. */
export const typingOfAny = `${root}.typing.*`;

import type { Erased } from '#machines/contact.ts';
import type { AttemptOutcome } from '#machines/message-delivery.ts';
import { contactOfConversation, messageId } from '#actors/ids.ts';
import { uuidFromBytes } from '#actors/uuid.ts';
import {
  type ActorSystem,
  connectTestChannel,
  conversationOf,
  ingestOf,
  testSource,
} from '../_support/actor-system.ts';
import { rowsOf } from './support.ts';

export const secret = 'what nobody may read';
export const ann = conversationOf('ann');
export const bob = conversationOf('bob');
export const contact = contactOfConversation(ann);
export const contactOfBob = contactOfConversation(bob);

/** Carries the oldest of what any actor has told, twice, as the relay does after a crash. False: there is nothing. */
export async function carry(system: ActorSystem): Promise<boolean> {
  const reader = system.reader();
  const all = Array.from({ length: system.shards }, (_, shard) => reader.outbox.after(shard, -1, 1_000)).flat();
  reader.close();
  const effect = all.find(({ kind }) => kind === 'command');
  if (effect === undefined) return false;
  const about = { key: effect.key, id: effect.id, body: effect.body! };
  for (let tries = 0; tries < 2; tries++) await system.commands().relay(about);
  return true;
}

export async function carryAll(system: ActorSystem, between: () => Promise<void> = async () => {}): Promise<void> {
  while (await carry(system)) await between();
}

export const origin = (who: string) => ({ ...ingestOf(who, []).origin, contact: true as const });

/** A contact of two conversations, and all that can hold something of a person. */
export async function started(system: ActorSystem, texts = 3): Promise<void> {
  const commands = system.commands();
  await connectTestChannel(commands);
  for (const who of ['ann', 'bob']) {
    const all = Array.from({ length: texts }, (_, n) => `${secret} ${n}`);
    const { messages } = ingestOf(who, all);
    const named = messages.map((message) => ({ ...message, senderId: secret }));
    await commands.send('conversation', conversationOf(who), 'messages.ingest', {
      origin: { ...origin(who) },
      messages: named,
    });
    const about = [
      { messageId: null, metadata: [{ contact: { displayName: secret }, note: secret }] },
      { messageId: messages[0]!.id, metadata: [{ note: secret }] },
    ];
    await commands.send('conversation', conversationOf(who), 'metadata.merge', { about });
  }
  await carryAll(system);
  await commands.send('contact', contact, 'contact.update', {
    fields: { display_name: secret, via: { phone: secret } },
  });
  await commands.send('contact', contactOfBob, 'contact.update', { fields: { title: secret } });
  await commands.send('contact', contactOfBob, 'contact.merge', { into: contact });
  await carryAll(system);
  await commands.send('conversation', ann, 'message.send', {
    ...{ messageId: messageId(ann, testSource, 'ours'), content: { text: secret }, sender: { id: 'agent' } },
  });
}

export const erase = (system: ActorSystem) => system.commands().send('contact', contact, 'contact.erase', null);

export const everything = (system: ActorSystem): string => JSON.stringify(rowsOf(system.file));

export const erasedBy = (system: ActorSystem, erasure: number): Erased | null => {
  const reader = system.reader();
  try {
    return reader.contacts.erasedBy(contact, erasure);
  } finally {
    reader.close();
  }
};

/** The source is called for the message that is to be sent, and says something. */
export async function called(system: ActorSystem, outcome: object): Promise<void> {
  const [effect] = rowsOf(system.file).outbox as { id: Uint8Array }[];
  const effectId = uuidFromBytes(effect!.id);
  const about = { messageId: messageId(ann, testSource, 'ours'), effectId };
  const { revision } = await system.commands().send('conversation', ann, 'attempt.start', about);
  const finished = { ...about, revision, outcome: outcome as AttemptOutcome };
  await system.commands().send('conversation', ann, 'attempt.finish', finished);
}

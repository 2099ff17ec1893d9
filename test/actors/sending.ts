import type { AttemptOutcome } from '#machines/message-delivery.ts';
import type { JsonObject } from '#actors/representation.ts';
import { ActorSystem, connectTestChannel, conversationOf } from '../_support/actor-system.ts';
import { expectSound, sendText } from './support.ts';

export const ann = conversationOf('ann');

/** A conversation with one message of ours in its lane. */
export async function sending() {
  const system = new ActorSystem();
  const commands = system.commands();
  await connectTestChannel(commands);
  const messageId = await sendText(commands, 'ann', 'hello', true);
  const reader = system.reader();
  let revision = 0;
  const effectId = () => reader.outbox.after(0, 0, 1)[0]?.id ?? '';
  return {
    system,
    commands,
    messageId,
    effectId,
    effects: () => reader.outbox.after(0, 0, 10).map(({ ready }) => ready),
    message: () => reader.messages.find(messageId)!.message,
    async start() {
      const started = await commands.send('conversation', ann, 'attempt.start', { messageId, effectId: effectId() });
      if (started.started) revision = started.revision;
      return started;
    },
    /** @param of the revision of the attempt; default the one that was started last */
    finish: (outcome: AttemptOutcome, of = revision) =>
      commands.send('conversation', ann, 'attempt.finish', { messageId, effectId: effectId(), revision: of, outcome }),
    async advance(ms: number) {
      system.clock.advance(ms);
      await system.settle();
    },
    async [Symbol.asyncDispose]() {
      expectSound(system);
      reader.close();
      await system[Symbol.asyncDispose]();
    },
  };
}

/** As attempts say it, in ms. */
export const giveUpAfter = 10 * 60_000;
export const unreachable = { kind: 'unreachable', error: 'no connection', jitter: 0.5, giveUpAfter } as const;
export const throttled = { kind: 'throttled', error: 'slow down', retryAfter: 7_000, giveUpAfter } as const;
export const succeeded = { kind: 'succeeded', sourceMessageId: 's-1', metadata: { tracking: { a: 1 } } } as const;

/** Its source says something of the message. */
export const hear = ({ commands, messageId }: Awaited<ReturnType<typeof sending>>, ...metadata: JsonObject[]) =>
  commands.send('conversation', ann, 'metadata.merge', { about: [{ messageId, metadata }] });

/** Sends somebody a message that their source loses twice: it is known by three ids. */
export async function sendThrice(system: ActorSystem, contact: string): Promise<void> {
  const commands = system.commands();
  const messageId = await sendText(commands, contact, 'hello', true);
  const conversation = conversationOf(contact);
  for (const sourceMessageId of ['first', 'second', 'third']) {
    const about = { messageId, effectId: effectFor(system, messageId) };
    const { revision } = await commands.send('conversation', conversation, 'attempt.start', about);
    const outcome = { kind: 'succeeded', sourceMessageId, metadata: {} } as const;
    await commands.send('conversation', conversation, 'attempt.finish', { ...about, revision, outcome });
    const lost = [{ messageId, metadata: [{ error: 'lost' }] }];
    await commands.send('conversation', conversation, 'metadata.merge', { about: lost });
    if (sourceMessageId !== 'third') await commands.send('conversation', conversation, 'message.resend', { messageId });
  }
}

function effectFor(system: ActorSystem, messageId: string): string {
  const reader = system.reader();
  const all = Array.from({ length: system.shards }, (_, shard) => reader.outbox.after(shard, -1, 1_000)).flat();
  const found = all.find(({ subject }) => reader.deliveries.find(subject)?.message.id === messageId);
  reader.close();
  return found!.id;
}

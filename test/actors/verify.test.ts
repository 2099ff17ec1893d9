import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import type { CommandSender } from '#actors/commands.ts';
import { verifyFile } from '#actors/journal/verify.ts';
import { kinds } from '#actors/kinds.ts';
import { ActorSystem, connectTestChannel, conversationOf, ingestOf, testChannel } from '../_support/actor-system.ts';
import { failureOf, rowsOf, sendText } from './support.ts';

const ann = conversationOf('ann');

type Scenario = (commands: CommandSender, system: ActorSystem) => Promise<void>;

const ingest: Scenario = async (commands) => {
  await commands.send('conversation', ann, 'messages.ingest', ingestOf('ann', ['1', '2']));
};

/** Tries the first waiting send once, without success. */
const failToDeliver: Scenario = async (commands, system) => {
  const reader = system.reader();
  const effect = reader.outbox.after(0, 0, 1)[0]!;
  const about = { messageId: reader.deliveries.find(effect.subject)!.message.id, effectId: effect.id };
  reader.close();
  await commands.send('conversation', ann, 'attempt.start', about);
  const outcome = { kind: 'unreachable', error: 'down', jitter: 0.25 } as const;
  await commands.send('conversation', ann, 'attempt.finish', { ...about, outcome });
};

const scenarios: [string, Scenario][] = [
  ['an ingest', ingest],
  [
    'a refused command',
    async (commands) => {
      expect(await failureOf(commands.send('conversation', ann, 'conversation.mark-read', null))).toBe('not_found');
    },
  ],
  [
    'a parked send that is released',
    async (commands, system) => {
      await sendText(commands, 'ann', 'hello?');
      await ingest(commands, system);
    },
  ],
  [
    'a parked send that is given up',
    async (commands, system) => {
      await sendText(commands, 'ann', 'hello?');
      system.clock.advance(30_000);
      await system.settle();
    },
  ],
  [
    'a try that waits',
    async (commands, system) => {
      await sendText(commands, 'ann', 'hello', true);
      await failToDeliver(commands, system);
    },
  ],
  [
    'a send that failed after five tries',
    async (commands, system) => {
      await sendText(commands, 'ann', 'hello', true);
      for (let n = 0; n < 5; n++) {
        await failToDeliver(commands, system);
        system.clock.advance(60_000);
        await system.settle();
      }
    },
  ],
  [
    'states set and removed',
    async (commands, system) => {
      await ingest(commands, system);
      await commands.send('conversation', ann, 'conversation.set-state', { state: 'CLOSED' });
      await commands.send('conversation', ann, 'conversation.set-state', { state: 'CLOSED' });
      await commands.send('conversation', ann, 'conversation.remove-state', null);
    },
  ],
  [
    'a channel that goes and comes',
    async (commands) => {
      await commands.send('channel', testChannel, 'channel.disconnect', null);
      await commands.send('channel', testChannel, 'channel.disconnect', null);
      await connectTestChannel(commands);
    },
  ],
];

test.each(scenarios)('history folds to the stored state: %s', async (_title, scenario) => {
  await using system = new ActorSystem();
  await connectTestChannel(system.commands());
  await scenario(system.commands(), system);
  await system.restart();
  await ingest(system.commands(), system);
  const verification = verifyFile(system.file, kinds);
  expect(verification.problems).toEqual([]);
  const rows = rowsOf(system.file);
  expect(verification).toMatchObject({
    actors: rows.actor.length,
    messages: rows.message.length,
    steps: rows.history.length,
    events: rows.feed.length,
  });
});

test.each([
  ['a changed state', 'UPDATE actor SET context = \'{"unread":7,"parked":0}\' WHERE kind = \'conversation\''],
  ['a changed event', `UPDATE history SET event = '{"type":"read"}' WHERE revision = 2`],
  ['a lost step', 'DELETE FROM history WHERE revision = 2'],
  ['a message that shows another state', "UPDATE message SET state = 'failed' WHERE delivery IS NOT NULL"],
  ['a lost event', 'DELETE FROM feed WHERE seq = 2'],
  ['a wrong counter', "UPDATE actor SET seq = seq + 1 WHERE kind = 'channel'"],
])('verifying notices %s', async (_title, damage) => {
  await using system = new ActorSystem();
  const commands = system.commands();
  await connectTestChannel(commands);
  await ingest(commands, system);
  await sendText(commands, 'ann', 'hello');
  await system.stop();
  expect(verifyFile(system.file, kinds).problems).toEqual([]);
  const db = new Database(system.file);
  db.exec(damage);
  db.close();
  expect(verifyFile(system.file, kinds).problems).not.toEqual([]);
});

import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import type { CommandSender } from '#actors/commands.ts';
import { verifyFile } from '#actors/journal/verify.ts';
import { kinds } from '#actors/kinds.ts';
import { ActorSystem, connectTestChannel, conversationOf, ingestOf, testChannel } from '../_support/actor-system.ts';
import { elapse, eventsOf, failureOf, rowsOf, sendText, stepsOf } from './support.ts';
import { failed, Subscriber } from './webhook-support.ts';

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
  const { revision } = await commands.send('conversation', ann, 'attempt.start', about);
  const outcome = { kind: 'unreachable', error: 'down', jitter: 0.25, giveUpAfter: 0 } as const;
  await commands.send('conversation', ann, 'attempt.finish', { ...about, revision, outcome });
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
    'a possible echo that is shown in the end',
    async (commands, system) => {
      await sendText(commands, 'ann', 'hello', true);
      await ingest(commands, system);
      const reader = system.reader();
      const { id, subject } = reader.outbox.after(0, 0, 1)[0]!;
      const about = { messageId: reader.deliveries.find(subject)!.message.id, effectId: id };
      reader.close();
      await commands.send('conversation', ann, 'attempt.start', about);
      const { origin, messages } = ingestOf('ann', ['by hand'], 'desk');
      const said = messages.map((message) => ({ ...message, fromContact: false }));
      await commands.send('conversation', ann, 'messages.ingest', { origin, messages: said });
      expect(rowsOf(system.file).parked_echo).toHaveLength(1);
      system.clock.advance(30_000);
      await system.settle();
      expect(rowsOf(system.file).parked_echo).toEqual([]);
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

test.each(scenarios)('the journal folds to the stored state: %s', async (_title, scenario) => {
  await using system = new ActorSystem();
  await connectTestChannel(system.commands());
  await scenario(system.commands(), system);
  await system.restart();
  await ingest(system.commands(), system);
  const verification = verifyFile(system.file, kinds);
  expect(verification.problems).toEqual([]);
  const { channel, conversation, journal, shard: _, ...others } = rowsOf(system.file);
  const rows = [channel, conversation, ...Object.values(others)].flat();
  expect(verification).toEqual({
    actors: channel.length + conversation.length,
    turns: journal.length,
    steps: stepsOf(system.file).length,
    events: eventsOf(system).length,
    rows: rows.length,
    problems: [],
  });
});

/** A file with every kind of thing that can be damaged. */
async function soundSystem(): Promise<ActorSystem> {
  const system = new ActorSystem({ retention: { journal: 60_000 } });
  const commands = system.commands();
  await connectTestChannel(commands);
  await ingest(commands, system);
  await elapse(system, 120_000, 10_000);
  const subscriber = new Subscriber(system);
  await subscriber.subscribe();
  await commands.send('conversation', ann, 'messages.ingest', ingestOf('ann', ['3'], 'more'));
  await sendText(commands, 'ann', 'hello');
  await failToDeliver(commands, system);
  await subscriber.record([[subscriber.next()[0]!, failed]]);
  expect(await failureOf(commands.send('conversation', testChannel, 'conversation.mark-read', null))).toBe('not_found');
  subscriber.reader.close();
  await system.stop();
  expect(verifyFile(system.file, kinds).problems).toEqual([]);
  return system;
}

const ofAnn = "WHERE kind = 'conversation' AND actor <> 0";
const ofSend = 'WHERE delivery IS NOT NULL';

test.each([
  ['a changed state', 'UPDATE conversation SET context = \'{"unread":7,"parked":0}\'', 'fold to another state'],
  [
    'a changed value',
    "UPDATE channel SET value = replace(value, 'connected', 'disconnected')",
    'fold to another state',
  ],
  ['a step too many', 'UPDATE conversation SET revision = revision + 1', 'the journal knows'],
  [
    'an echo that nobody waits for',
    `INSERT INTO parked_echo SELECT 1 << 39, key, 1, id, 'x', 'x', '1', 0 FROM conversation`,
    'keeps echoes without a wait',
  ],
  ['a wrong counter', 'UPDATE channel SET seq = seq + 1', 'its last event'],
  ['a turn too many', 'UPDATE channel SET turns = turns + 1', 'turns'],
  ['a wrong last turn', 'UPDATE conversation SET last_turn = last_turn - 1', 'its last turn is'],
  ['another chain', "UPDATE conversation SET chain = 'x'", 'is not the journal'],
  ['a changed delivery', `UPDATE message SET delivery = replace(delivery, '"attempts":1', '"attempts":2')`, 'fold to'],
  [
    'a message in another state',
    `UPDATE message SET state = 'failed' ${ofSend}`,
    'it shows failed, its delivery pending',
  ],
  ['another content', `UPDATE message SET content = '"x"' ${ofSend}`, 'it is not as its last turn left it'],
  ['another sender', `UPDATE message SET sender = '{}' ${ofSend}`, 'it is not as its last turn left it'],
  ['another time', `UPDATE message SET sent_at = sent_at + 1 ${ofSend}`, 'it is not as its last turn left it'],
  ['a lost message', `DELETE FROM message ${ofSend}`, 'it is not there'],
  [
    'a lost old message',
    'DELETE FROM message WHERE key = (SELECT min(key) FROM message)',
    'it shows 4 messages, not 3',
  ],
  ['another unread count', 'UPDATE conversation SET unread_count = 0', 'it shows 0 unread, not 3'],
  [
    'a delivery in another status',
    'UPDATE webhook_delivery SET ready = 1',
    'it shows scheduled 1, its machine scheduled 0',
  ],
  ['a subscription in another state', "UPDATE webhook_subscription SET state = 'suspended'", 'it shows suspended'],
  ['a lost turn', `DELETE FROM journal WHERE key = (SELECT min(key) FROM journal ${ofAnn})`, 'is missing'],
  ['a lost last turn', 'DELETE FROM journal WHERE key = (SELECT max(key) FROM journal)', 'its journal ends at'],
  ['a lost actor', 'DELETE FROM conversation', 'it has turns, and no row'],
  ['a lost actor whose turns are pruned', 'DELETE FROM channel', 'nobody has it'],
  ['steps that are no steps', "UPDATE journal SET steps = '1' WHERE steps IS NOT NULL", 'it can not be read'],
  ['events that are no JSON', "UPDATE journal SET events = 'x' WHERE events IS NOT NULL", 'it can not be read'],
  ['a delivery that is no JSON', `UPDATE message SET delivery = 'x' ${ofSend}`, 'it can not be read'],
  ['a base in a state that is none', `UPDATE base SET value = '"nowhere"'`, 'it can not be read'],
  [
    'a changed base',
    `UPDATE base SET context = replace(context, '"unread":2', '"unread":1')`,
    'folds to another state',
  ],
  ['another chain in a base', "UPDATE base SET chain = 'x'", 'its hash is not that of its columns'],
  ['another revision in a base', 'UPDATE base SET revision = revision - 1', 'follows on'],
  ['another count in a base', 'UPDATE base SET turns = turns + 1', 'turns, the journal knows'],
  ['another number in a base', 'UPDATE base SET seq = seq + 1', 'follows on event'],
])('verifying notices %s', async (_title, damage, problem) => {
  await using system = await soundSystem();
  const db = new Database(system.file);
  expect(db.prepare(damage).run().changes).toBeGreaterThan(0);
  db.close();
  const { problems } = verifyFile(system.file, kinds);
  expect(problems.filter((said) => said.includes(problem))).not.toEqual([]);
});

const changed: [column: string, to: string][] = [
  ['kind', "'channel'"],
  ['actor', 'actor + 1'],
  ['previous', 'previous + 1'],
  ['skip', 'ifnull(skip, 0) + 1'],
  ['at', 'at + 1'],
  ['type', "type || 'x'"],
  ['cause', "cause || 'x'"],
  ['command', 'randomblob(16)'],
  ['steps', "replace(steps, 'message-delivery', 'conversation')"],
  ['events', `replace(events, '"u":3', '"u":2')`],
  ['answer', `replace(answer, 'true', 'false')`],
  ['rows', "rows || 'x'"],
  ['hash', "hash || 'x'"],
];

test.each(changed)('verifying notices another %s of a turn', async (column, to) => {
  await using system = await soundSystem();
  const db = new Database(system.file);
  const damage = `UPDATE journal SET ${column} = ${to} WHERE type = 'message.send'`;
  expect(db.prepare(damage).run().changes).toBe(1);
  db.close();
  const said = verifyFile(system.file, kinds).problems.filter((problem) => problem.includes('its hash is not that of'));
  expect(said).not.toEqual([]);
});

test('verifying notices another answer to a refused command', async () => {
  await using system = await soundSystem();
  const db = new Database(system.file);
  expect(db.prepare("UPDATE journal SET answer = '{}' WHERE actor = 0").run().changes).toBe(1);
  db.close();
  expect(verifyFile(system.file, kinds).problems).toHaveLength(1);
});

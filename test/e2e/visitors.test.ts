import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { verifyFile } from '#actors/journal/verify.ts';
import { kinds } from '#actors/kinds.ts';
import type { MessageJson } from '#actors/representation.ts';
import { HubProcess } from '../_support/hub-process.ts';
import { until } from '../_support/source-client.ts';
import { connectChannel, TestVisitor } from '../_support/visitor.ts';

const rounds = 8;
/** Ms after which the hub is killed: within the write, the push, the report that it was taken, or after it. */
const moments = [0, 1, 3, 6, 10, 20, 40, 80];

/** Says something until the hub answers, as an offline queue does. */
async function insist(visitor: TestVisitor, text: string): Promise<void> {
  await until(`${text} is stored`, async () => {
    try {
      return (await visitor.say(text, `name of ${text}`)).status === 200;
    } catch {
      return false;
    }
  });
}

const textsOf = (messages: readonly MessageJson[]) => [
  ...new Map(messages.map(({ id, content }) => [id, (content as { text: string }).text])).values(),
];

test('kill -9 loses, doubles and reorders nothing of a visit', { timeout: 120_000 }, async () => {
  await using hub = await HubProcess.start({ shards: 3 });
  const channel = await connectChannel(hub);
  await using visitor = await TestVisitor.authenticated(hub, { channel_id: channel });
  await insist(visitor, 'Hello');
  const resume_token = await visitor.resumeToken();
  const received: MessageJson[] = [];
  for (let round = 0; round < rounds; round++) {
    // Nobody reads in every third round.
    const tab = round % 3 === 2 ? null : await (await visitor.open()).listen();
    const heard = insist(visitor, `question ${round}`);
    const conversation_id = visitor.conversation;
    const sent = await hub.post<MessageJson>('/messages.send', {
      conversation_id,
      message: { text: `answer ${round}` },
    });
    expect(sent.status).toBe(200);
    await pause(moments[round]);
    await hub.kill();
    received.push(...(tab?.pushed ?? []).map(({ message }) => message));
    await hub.start();
    await heard;
  }
  const tab = await (await visitor.open()).listen();
  const all = async () => {
    const conversation_id = visitor.conversation;
    return (await hub.post<{ data: MessageJson[] }>('/messages.list', { conversation_id, page_size: 100 })).body.data;
  };
  await until('all are delivered', async () => (await all()).every(({ state }) => state === 'delivered'));
  const stored = await all();
  const answers = Array.from({ length: rounds }, (_, round) => `answer ${round}`);
  const questions = Array.from({ length: rounds }, (_, round) => `question ${round}`);
  const ofAgents = stored.filter(({ from_contact }) => !from_contact);
  expect(textsOf(ofAgents)).toEqual(answers);
  expect(textsOf(stored.filter(({ from_contact }) => from_contact))).toEqual(['Hello', ...questions]);
  expect(stored).toHaveLength(1 + 2 * rounds);
  const pushed = [...received, ...tab.pushed.map(({ message }) => message)];
  expect(textsOf(pushed.filter(({ from_contact }) => !from_contact))).toEqual(answers);
  await using back = await TestVisitor.authenticated(hub, { resume_token });
  expect(textsOf(back.earlier)).toEqual(textsOf(stored));
  await hub.stop();
  expect(verifyFile(hub.file, kinds).problems).toEqual([]);
});

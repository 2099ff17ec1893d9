import { describe, expect, it } from 'vitest';
import { typingShownFor } from '#machines/conversation.ts';
import type { ConversationJson } from '#actors/representation.ts';
import { refusalOf, startApi, type TestApi } from '../../_support/api.ts';
import { until } from '../../_support/source-client.ts';
import { connectChannel, TestVisitor } from '../../_support/visitor.ts';

/** A hub with a visitor who has said hello, at a socket. */
async function start() {
  const stack = new AsyncDisposableStack();
  const api = stack.use(await startApi());
  const channel_id = await connectChannel(api);
  const visitor = stack.use(await TestVisitor.authenticated(api, { channel_id }));
  await visitor.say('Hello');
  const tab = await visitor.open();
  return { api, visitor, tab, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

const isTyping = async (api: TestApi, { conversation: conversation_id }: TestVisitor): Promise<boolean> =>
  'isUserTyping' in (await api.post<ConversationJson>('/conversations.info', { conversation_id })).body.metadata;

const shown = (api: TestApi, visitor: TestVisitor, expected: boolean) =>
  until(`typing is ${expected}`, async () => (await isTyping(api, visitor)) === expected);

/** Turns that reports of typing have made. */
function turnsOf(api: TestApi, type: string): number {
  const db = api.system.open();
  try {
    return db.prepare('SELECT count(*) FROM journal WHERE type = ?').pluck().get(type) as number;
  } finally {
    db.close();
  }
}

describe('a visitor who types', () => {
  it('is shown to, until the end', async () => {
    await using here = await start();
    const { api, tab, visitor } = here;
    tab.type(true);
    await shown(api, visitor, true);
    tab.type(false);
    api.system.clock.advance(3_000);
    await shown(api, visitor, false);
  });

  it('is shown to for 15 s, also over a restart', async () => {
    await using here = await start();
    const { api, tab, visitor } = here;
    tab.type(true);
    await shown(api, visitor, true);
    await api.system.restart();
    api.system.clock.advance(typingShownFor - 1);
    await api.system.settle();
    expect(await isTyping(api, visitor)).toBe(true);
    api.system.clock.advance(1);
    await shown(api, visitor, false);
  });

  it('is done with the next message', async () => {
    await using here = await start();
    const { api, tab, visitor } = here;
    tab.type(true);
    await shown(api, visitor, true);
    await visitor.say('There');
    expect(await isTyping(api, visitor)).toBe(false);
  });

  it('is done when the socket is closed', async () => {
    await using here = await start();
    const { api, tab, visitor } = here;
    tab.type(true);
    await shown(api, visitor, true);
    await tab.client.deactivate();
    await shown(api, visitor, false);
  });

  it('costs few turns, however many keys are pressed', async () => {
    await using here = await start();
    const { api, tab, visitor } = here;
    for (let second = 0; second < 30; second++) {
      for (let key = 0; key < 10; key++) tab.type(key !== 5);
      const receipt = `second ${second}`;
      const confirmed = new Promise((resolve) => tab.client.watchForReceipt(receipt, resolve));
      tab.client.publish({ destination: '/typing', body: '{"typing":true}', headers: { receipt } });
      await confirmed;
      api.system.clock.advance(1_000);
      await api.system.settle();
    }
    expect(await isTyping(api, visitor)).toBe(true);
    expect(turnsOf(api, 'contact.typing')).toBeLessThanOrEqual(30 / 3 + 1);
  });

  it('costs few turns, however often the socket is a new one', async () => {
    await using here = await start();
    const { api, tab, visitor } = here;
    tab.type(true);
    await shown(api, visitor, true);
    await tab.client.deactivate();
    await shown(api, visitor, false);
    const before = turnsOf(api, 'contact.typing');
    for (let n = 0; n < 5; n++) {
      const again = await visitor.open();
      again.type(true);
      await again.listen();
      await again.client.deactivate();
    }
    await api.system.settle();
    expect(turnsOf(api, 'contact.typing')).toBe(before);
  });

  it('costs few turns, however many tabs there are', async () => {
    await using here = await start();
    const { api, tab, visitor } = here;
    const tabs = [tab, await visitor.open(), await visitor.open(), await visitor.open()];
    for (const each of tabs) {
      each.type(true);
      await each.listen();
    }
    await shown(api, visitor, true);
    expect(turnsOf(api, 'contact.typing')).toBe(1);
    api.system.clock.advance(3_000);
    await until('another tab has told', () => turnsOf(api, 'contact.typing') > 1);
    await api.system.settle();
    expect(turnsOf(api, 'contact.typing')).toBe(2);
  });

  it('makes no conversation of it', async () => {
    await using api = await startApi();
    const channel_id = await connectChannel(api);
    await using visitor = await TestVisitor.authenticated(api, { channel_id });
    const tab = await visitor.open();
    tab.type(true);
    await tab.listen();
    expect(api.sent.filter(({ kind }) => kind === 'conversation')).toEqual([]);
  });
});

describe('an agent who types', () => {
  it('is shown to the visitor, and kept nowhere', async () => {
    await using here = await start();
    const { api, tab, visitor } = here;
    await tab.listenToTyping();
    const before = api.reader.feed.end();
    const conversation_id = visitor.conversation;
    for (const typing of [true, false]) {
      expect((await api.post('/conversations.typing', { conversation_id, typing })).status).toBe(204);
    }
    expect((await api.post('/conversations.typing', { conversation_id })).status).toBe(204);
    await until('all is heard', () => tab.typing.length === 3);
    expect(tab.typing).toEqual([true, false, true]);
    expect(api.reader.feed.end()).toEqual(before);
  });

  it('is not, in a conversation that is none', async () => {
    await using here = await start();
    const conversation_id = '0192f3a4-5b6c-7d8e-9f01-000000000000';
    expect(refusalOf(await here.api.post('/conversations.typing', { conversation_id }))).toEqual([404, 'not_found']);
  });
});

import { describe, expect, it } from 'vitest';
import type { MessageJson } from '#actors/representation.ts';
import { uuidV5 } from '#actors/uuid.ts';
import { namespaces } from '#actors/ids.ts';
import { startApi, type TestApi } from '../../_support/api.ts';
import { until } from '../../_support/source-client.ts';
import { connectChannel, TestVisitor } from '../../_support/visitor.ts';

interface Here extends AsyncDisposable {
  api: TestApi;
  channel: string;
  visitor: TestVisitor;
}

/** A hub with a channel, and a visitor who has said hello. */
async function start(): Promise<Here> {
  const stack = new AsyncDisposableStack();
  const api = stack.use(await startApi());
  api.dispatch();
  const channel = await connectChannel(api);
  const visitor = stack.use(await TestVisitor.authenticated(api, { channel_id: channel }));
  await visitor.say('Hello');
  return { api, channel, visitor, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

const answer = async (api: TestApi, { conversation }: TestVisitor, text: string) =>
  (await api.post<MessageJson>('/messages.send', { conversation_id: conversation, message: { text } })).body;

/** As one that was taken right before its channel was disconnected. */
async function answerDirectly(api: TestApi, { conversation }: TestVisitor, text: string): Promise<{ id: string }> {
  const id = uuidV5(namespaces.command, text);
  await api.commands.send('conversation', conversation, 'message.send', {
    ...{ messageId: id, content: { text }, sender: { id: 'test:ann' } },
  });
  return { id };
}

const stateOf = async (api: TestApi, message_id: string): Promise<string> =>
  (await api.post<MessageJson>('/messages.info', { message_id })).body.state;

/** Carried as far as it gets without the visitor: nothing waits for anything. */
const carried = (api: TestApi) => until('nothing is left to do', () => api.reader.outbox.count() === 0);

describe('a visitor at a socket', () => {
  it('gets what an agent answers, and it is delivered', async () => {
    await using here = await start();
    const { api, channel, visitor } = here;
    const tab = await (await visitor.open()).listen();
    const sent = await answer(api, visitor, 'How can we help?');
    expect(sent.state).toBe('pending');
    await until('it is so', () => tab.pushed.length > 0);
    expect(tab.pushed).toEqual([
      { message: { ...sent, sent_at: sent.sent_at }, conversation_id: visitor.conversation, channel_id: channel },
    ]);
    await until('it is so', async () => (await stateOf(api, sent.id)) === 'delivered');
    expect(api.reader.outbox.count()).toBe(0);
  });

  it('gets what failed once it is sent again', async () => {
    await using here = await start();
    const { api, channel, visitor } = here;
    const sent = await answer(api, visitor, 'Once more');
    await carried(api);
    await api.post('/channels.chatplugin.disconnect', { channel_id: channel });
    const { id } = await answerDirectly(api, visitor, 'Never');
    await until('it failed', async () => (await stateOf(api, id)) === 'failed');
    await connectChannel(api);
    const tab = await (await visitor.open()).listen();
    await until('the first is pushed', () => tab.pushed.length === 1);
    await visitor.say('Still here');
    await until('what failed is not', () => tab.pushed.length === 2);
    expect(tab.texts).toEqual(['Once more', 'Still here']);
    await api.post('/messages.resend', { message_id: id });
    await until('it is pushed', () => tab.texts.includes('Never'));
    await until('both are delivered', async () => (await stateOf(api, id)) === 'delivered');
    expect(await stateOf(api, sent.id)).toBe('delivered');
  });

  it('sees in one tab what was written in another', async () => {
    await using here = await start();
    const { visitor } = here;
    const tabs = await Promise.all([1, 2].map(async () => (await visitor.open()).listen()));
    await visitor.say('One');
    await visitor.say('Two');
    await until('it is so', () => tabs.every(({ pushed }) => pushed.length === 2));
    for (const { texts } of tabs) expect(texts).toEqual(['One', 'Two']);
  });

  it('gets nothing of another conversation', async () => {
    await using here = await start();
    const { api, channel, visitor } = here;
    await using other = await TestVisitor.authenticated(api, { channel_id: channel });
    await other.say('Hi');
    const tab = await (await visitor.open()).listen();
    const theirs = await (await other.open()).listen();
    await answer(api, other, 'For the other');
    await until('it is so', () => theirs.pushed.length === 1);
    await answer(api, visitor, 'For this one');
    await until('it is so', () => tab.pushed.length === 1);
    expect(tab.texts).toEqual(['For this one']);
    expect(theirs.texts).toEqual(['For the other']);
  });
});

describe('a visitor whose client acknowledges', () => {
  const acknowledging = { ack: 'client-individual' };

  it('has what is acknowledged, not what the network took', async () => {
    await using here = await start();
    const { api, visitor } = here;
    const tab = await (await visitor.open()).listen(acknowledging);
    const ids = [(await answer(api, visitor, 'One')).id, (await answer(api, visitor, 'Two')).id];
    await until('both are pushed', () => tab.pushed.length === 2);
    tab.frames[1]!.ack();
    await until('Two is delivered', async () => (await stateOf(api, ids[1]!)) === 'delivered');
    expect(await stateOf(api, ids[0]!)).toBe('pending');
    tab.frames[0]!.nack();
    const again = await (await visitor.open()).listen(acknowledging);
    await until('One comes again', () => again.pushed.length > 0);
    again.frames[0]!.ack();
    await until('One is delivered', async () => (await stateOf(api, ids[0]!)) === 'delivered');
  });

  it('gets again, behind any cursor, what it never had', async () => {
    await using here = await start();
    const { api, visitor } = here;
    const lost = await (await visitor.open()).listen(acknowledging);
    const { id } = await answer(api, visitor, 'Into the buffers');
    await until('it is taken', () => lost.pushed.length === 1);
    const after = lost.frames[0]!.headers['message-id']!;
    const tab = await (await visitor.open()).listen({ ...acknowledging, after });
    await until('it comes again', () => tab.texts.includes('Into the buffers'));
    tab.frames[0]!.ack();
    await until('it is delivered', async () => (await stateOf(api, id)) === 'delivered');
  });

  it('acknowledges nothing but what it was sent', async () => {
    await using here = await start();
    const { api, visitor } = here;
    const tab = await (await visitor.open()).listen(acknowledging);
    const { id } = await answer(api, visitor, 'One');
    await until('it is pushed', () => tab.pushed.length === 1);
    for (const name of ['x', id, '']) tab.client.ack(name, 'sub-0');
    await visitor.say('Two');
    await until('the socket goes on', () => tab.pushed.length === 2);
    tab.frames[1]!.ack();
    expect([await stateOf(api, id), tab.error]).toEqual(['pending', null]);
  });
});

describe('a visitor who is away', () => {
  it('gets what was sent meanwhile at the next socket, in order', async () => {
    await using here = await start();
    const { api, visitor } = here;
    const ids: string[] = [];
    for (const text of ['One', 'Two', 'Three']) ids.push((await answer(api, visitor, text)).id);
    await carried(api);
    expect(await Promise.all(ids.map((id) => stateOf(api, id)))).toEqual(['pending', 'pending', 'pending']);
    const tab = await (await visitor.open()).listen();
    await until('it is so', () => tab.pushed.length === 3);
    expect(tab.texts).toEqual(['One', 'Two', 'Three']);
    await until('it is so', async () =>
      (await Promise.all(ids.map((id) => stateOf(api, id)))).every((s) => s === 'delivered'),
    );
    const again = await (await visitor.open()).listen();
    await answer(api, visitor, 'Four');
    await until('it is so', () => again.pushed.length > 0);
    expect(again.texts).toEqual(['Four']);
  });

  it('gets it with the answer that resumes', async () => {
    await using here = await start();
    const { api, visitor } = here;
    const resume_token = await visitor.resumeToken();
    const { id } = await answer(api, visitor, 'Are you there?');
    await carried(api);
    await using back = await TestVisitor.authenticated(api, { resume_token });
    expect(back.conversation).toBe(visitor.conversation);
    expect(back.earlier.map(({ content, state, from_contact }) => [content, state, from_contact])).toEqual([
      [{ text: 'Hello' }, 'delivered', true],
      [{ text: 'Are you there?' }, 'delivered', false],
    ]);
    expect(await stateOf(api, id)).toBe('delivered');
  });

  it('costs no call, no wait and no try', async () => {
    await using here = await start();
    const { api, visitor } = here;
    const { id } = await answer(api, visitor, 'Later');
    await carried(api);
    const attempts = api.lines.filter(({ event }) => event === 'delivery.attempted');
    expect(attempts).toEqual([]);
    const db = api.system.open();
    try {
      expect(db.prepare('SELECT count(*) FROM timer').pluck().get()).toBe(0);
    } finally {
      db.close();
    }
    expect(await stateOf(api, id)).toBe('pending');
  });
});

import { expect, test } from 'vitest';
import { conversationId } from '#actors/ids.ts';
import type { JsonObject, MessageJson } from '#actors/representation.ts';
import { startApi, type TestApi, type TestSource } from '../_support/api.ts';

/** A send whose call is under way, and all that its source may say of it, in any order. */
class Send {
  readonly #api: TestApi;
  readonly #source: TestSource;
  readonly contact: string;
  readonly sourceMessageId: string;
  readonly conversation: string;
  messageId = '';
  /** The ids that the source was told for the echo. */
  readonly told: string[] = [];
  /** Whether the source was told that it had pushed it before. */
  readonly duplicates: boolean[] = [];
  #effectId = '';
  #revision = 0;

  constructor(api: TestApi, source: TestSource, contact: string) {
    this.#api = api;
    this.#source = source;
    this.contact = contact;
    this.sourceMessageId = `${contact}-out`;
    this.conversation = conversationId(source.channel, contact);
  }

  /** The hub has the message, and the call is made. */
  async begin(): Promise<this> {
    this.messageId = await this.again();
    await this.call();
    return this;
  }

  /** Another message, for which there is no call yet. */
  async again(): Promise<string> {
    const start = { channel_id: this.#source.channel, source_recipient_id: this.contact, message: { text: 'Hello' } };
    return (await this.#api.post<{ id: string }>('/messages.send', start)).body.id;
  }

  async call(): Promise<void> {
    const { outbox, deliveries } = this.#api.reader;
    const effects = outbox.after(0, 0, 1_000);
    const effect = effects.find(({ subject }) => deliveries.find(subject)?.message.id === this.messageId);
    this.#effectId = effect!.id;
    const about = { messageId: this.messageId, effectId: this.#effectId };
    const started = await this.#api.commands.send('conversation', this.conversation, 'attempt.start', about);
    this.#revision = started.revision;
  }

  /** The answer to the call. */
  async answer(
    outcome: 'succeeded' | 'unreachable' | 'rejected' | 'throttled' = 'succeeded',
    sourceMessageId = this.sourceMessageId,
  ) {
    const error = 'No.';
    await this.#api.commands.send('conversation', this.conversation, 'attempt.finish', {
      ...{ messageId: this.messageId, effectId: this.#effectId, revision: this.#revision },
      outcome: {
        succeeded: { kind: 'succeeded', sourceMessageId, metadata: { lane: 7 } } as const,
        unreachable: { kind: 'unreachable', error, jitter: 0, giveUpAfter: 60_000 } as const,
        rejected: { kind: 'rejected', error } as const,
        throttled: { kind: 'throttled', error, retryAfter: 1_000, giveUpAfter: 60_000 } as const,
      }[outcome],
    });
  }

  /** The source pushes the message as one of its own. */
  async echo(
    id = this.sourceMessageId,
    content: JsonObject = { body: { plain: 'Hello' } },
    fromContact = false,
  ): Promise<void> {
    const message = {
      ...{ source_message_id: id, source_conversation_id: this.contact, source_channel_id: 'line' },
      ...{ source_sender_id: 'desk', content, from_contact: fromContact, sent_at: Date.UTC(2026, 0, 1, 0, 0, 5) },
    };
    const pushed = await this.#push<{ messages: { id: string; duplicate: boolean }[] }>({ messages: [message] });
    this.told.push(pushed.messages[0]!.id);
    this.duplicates.push(pushed.messages[0]!.duplicate);
  }

  async say(metadata: JsonObject): Promise<void> {
    await this.#push({ metadata: [{ namespace: 'message', source_id: this.sourceMessageId, metadata }] });
  }

  receipt(state: string): Promise<void> {
    return this.say({ source: { delivery_state: state } });
  }

  fail(): Promise<void> {
    return this.say({ error: 'Undeliverable.' });
  }

  get messages(): MessageJson[] {
    const { items } = this.#api.reader.messages.page(this.conversation, { limit: 10, from: null }, 'asc');
    return items.map(({ text }) => JSON.parse(text) as MessageJson);
  }

  /** Messages that the feed has told of, by the ids they have. */
  get created(): unknown[] {
    const { conversation: conversationId } = this;
    const query = { after: [], limit: 100, types: ['message.created'] as const, conversationId };
    return this.#api.reader.feed
      .read(query)
      .entries.map(({ event }) => (event.payload['message'] as unknown as MessageJson).id);
  }

  async #push<T>(body: object): Promise<T> {
    const { status, body: answer } = await this.#api.post<T>('/sources.webhook', body, this.#source.authorization);
    expect(status).toBe(200);
    return answer;
  }
}

async function start() {
  const api = await startApi();
  const source = await api.addSource('shop');
  let sends = 0;
  return {
    ...{ api, source },
    async advance(ms: number) {
      api.system.clock.advance(ms);
      await api.system.settle();
    },
    send: () => new Send(api, source, `contact-${sends++}`).begin(),
    idOf: (id: string) => api.reader.messages.find(id)?.message.id,
    [Symbol.asyncDispose]: () => api[Symbol.asyncDispose](),
  };
}

function permutations<T>(all: readonly T[]): T[][] {
  if (all.length < 2) return [[...all]];
  return all.flatMap((first, n) => permutations(all.toSpliced(n, 1)).map((rest) => [first, ...rest]));
}

const happenings = {
  echo: (send: Send) => send.echo(),
  answer: (send: Send) => send.answer(),
  arrived: (send: Send) => send.receipt('delivered'),
  seen: (send: Send) => send.receipt('seen'),
  failure: (send: Send) => send.fail(),
};
type Happening = keyof typeof happenings;

test.each([
  ['that arrived', ['echo', 'answer', 'arrived', 'seen'], { state: 'delivered' }],
  ['that failed late', ['echo', 'answer', 'arrived', 'seen', 'failure'], { state: 'failed', error: 'Undeliverable.' }],
] as [string, Happening[], { state: string; error?: string }][])(
  'a send %s is one message in every order',
  async (_, all, { state, error }) => {
    await using hub = await start();
    for (const order of permutations(all)) {
      const send = await hub.send();
      for (const happening of order) await happenings[happening](send);
      const source = { id: send.sourceMessageId, delivery_state: 'seen' };
      const metadata = { lane: 7, source, ...(error !== undefined && { error }) };
      const message = { id: send.messageId, state, metadata, content: { text: 'Hello' } };
      expect(send.messages, order.join()).toMatchObject([message]);
      expect(send.messages[0]!.metadata, order.join()).toEqual(metadata);
      expect(send.created, order.join()).toEqual([send.messageId]);
      expect(send.told.map(hub.idOf), order.join()).toEqual([send.messageId]);
    }
  },
  60_000,
);

test('what a source pushes during a call is shown after it', async () => {
  await using hub = await start();
  const send = await hub.send();
  await send.echo('by-hand', { text: 'Hello' });
  expect(send.messages.map(({ id }) => id)).toEqual([send.messageId]);
  await send.answer();
  const [, other] = send.messages;
  expect(other).toMatchObject({ id: send.told[0], content: { text: 'Hello' }, sender: { id: 'desk' } });
  expect(send.created).toEqual([send.messageId, send.told[0]]);
});

test.each(['rejected', 'throttled'] as const)('after a call that was %s nothing is an echo', async (outcome) => {
  await using hub = await start();
  const send = await hub.send();
  await send.echo();
  await send.answer(outcome);
  expect(send.messages.map(({ id }) => id)).toEqual([send.messageId, send.told[0]]);
  await send.echo('another');
  expect(send.messages).toHaveLength(3);
});

test('an echo waits for the answer of a later try', async () => {
  await using hub = await start();
  const send = await hub.send();
  await send.answer('unreachable');
  await send.echo();
  await hub.advance(1_000);
  expect(send.messages).toHaveLength(1);
  await send.call();
  await send.answer();
  expect(send.messages).toMatchObject([{ id: send.messageId, state: 'delivered' }]);
  expect(hub.idOf(send.told[0]!)).toBe(send.messageId);
});

test('without an answer it is shown after 30 s, in order', async () => {
  await using hub = await start();
  const send = await hub.send();
  await send.echo('one');
  await hub.advance(20_000);
  await send.echo('two');
  await send.say({ a: 1 });
  expect(send.messages).toHaveLength(1);
  await hub.advance(10_000);
  expect(send.created).toEqual([send.messageId, ...send.told]);
  await send.echo('three');
  await send.answer('succeeded', 'one');
  expect(send.messages.map(({ id }) => id)).toEqual([send.messageId, ...send.told]);
});

test('what a contact writes during a call is shown at once', async () => {
  await using hub = await start();
  const send = await hub.send();
  await hub.source.push(send.contact, 'Hi');
  expect(send.messages).toHaveLength(2);
});

test('before any call nothing is an echo', async () => {
  await using hub = await start();
  const send = await hub.send();
  await send.answer();
  await send.again();
  await send.echo('by-hand');
  expect(send.messages).toHaveLength(3);
});

test('an echo that is pushed again is a duplicate', async () => {
  await using hub = await start();
  const send = await hub.send();
  for (let n = 0; n < 2; n++) await send.echo();
  await hub.api.system.restart();
  await send.echo();
  await send.answer();
  await send.echo();
  expect(send.duplicates).toEqual([false, true, true, true]);
  expect(send.told.map(hub.idOf)).toEqual(Array(4).fill(send.messageId));
  expect(send.messages).toHaveLength(1);
});

test('an echo that is pushed again as the contact’s is one message', async () => {
  await using hub = await start();
  for (const rejected of [true, false]) {
    const send = await hub.send();
    await send.echo();
    await send.echo(undefined, undefined, true);
    await send.answer(rejected ? 'rejected' : 'succeeded');
    await send.echo(undefined, undefined, true);
    expect(send.duplicates).toEqual([false, true, true]);
    expect(send.messages).toHaveLength(rejected ? 2 : 1);
  }
});

test('what a source says of a try before is no news of the next', async () => {
  await using hub = await start();
  const send = await hub.send();
  await send.answer();
  await send.receipt('seen');
  await send.fail();
  await hub.api.post('/messages.resend', { message_id: send.messageId });
  await send.call();
  expect(send.messages[0]!.metadata).toEqual({ lane: 7 });
  await send.fail();
  await send.echo();
  await send.answer('succeeded', 'another');
  const source = { id: 'another' };
  expect(send.messages).toMatchObject([{ id: send.messageId, state: 'delivered', metadata: { lane: 7, source } }]);
  expect(send.duplicates).toEqual([true]);
});

test('a next try may have the id of the one before', async () => {
  await using hub = await start();
  const send = await hub.send();
  await send.answer();
  await send.fail();
  await hub.api.post('/messages.resend', { message_id: send.messageId });
  await send.call();
  await send.fail();
  await send.answer();
  expect(send.messages).toMatchObject([{ state: 'failed', metadata: { error: 'Undeliverable.' } }]);
});

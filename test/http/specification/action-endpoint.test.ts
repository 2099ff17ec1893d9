import { afterEach, describe, expect, it } from 'vitest';
import type { Answer } from '../../_support/source-client.ts';
import { until } from '../../_support/source-client.ts';
import { aTime, aUuid, chapter, type MessageExample } from './chapter.ts';

// The specification: “States and transitions”, the action endpoint of “Source API”; decisions §6 and §7.
const spec = chapter();

/** An answer of the action endpoint. */
const answering =
  (status: number, body: object): Answer =>
  (_, response) => {
    response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
  };
const accepting = answering(200, { source_message_id: 'sent-1', metadata: {} });

afterEach(() => spec.shop.answerWith(accepting));

async function send(conversation_id: string, message: object = { text: 'Hi' }): Promise<MessageExample> {
  return (await spec.post<MessageExample>('messages.send', { conversation_id, message })).body;
}

const info = async (message_id: string): Promise<MessageExample> =>
  (await spec.post<MessageExample>('messages.info', { message_id })).body;

/** The Message once it is in a state. */
async function reached(state: string, message_id: string): Promise<MessageExample> {
  await until(`${message_id} ${state}`, async () => (await info(message_id)).state === state);
  return info(message_id);
}

/** The calls about a message that the endpoint has got. */
const callsAbout = (id: string) => spec.shop.calls.filter(({ body }) => body.payload.message.id === id);

describe('the call of the action endpoint', () => {
  it('is {type: message.send, payload}, signed', async () => {
    const conversation_id = await spec.conversationOf('ann', 'hello');
    const { id } = await send(conversation_id, { text: 'Hi Ann' });
    await reached('delivered', id);
    const [call] = callsAbout(id);
    const channel_id = await spec.channelId();
    expect(call!.signatureFits).toBe(true);
    expect(call!.body).toEqual({
      type: 'message.send',
      payload: {
        message: {
          ...{ id, source_recipient_id: 'ann', content: { text: 'Hi Ann' } },
          sent_at: expect.stringMatching(/^\d{13}$/),
        },
        channel: { id: channel_id, source_channel_id: 'line' },
        conversation: {
          ...{ id: conversation_id, channel_id, source_channel_id: 'line', source_conversation_id: 'ann' },
          created_at: aTime,
        },
      },
    });
  });

  it('has no conversation when none exists', async () => {
    const start = { source_recipient_id: '+49 151 1', channel_id: await spec.channelId(), message: { text: 'Hi' } };
    const { status, body } = await spec.post<MessageExample>('messages.send', start);
    expect([status, body]).toMatchObject([200, { id: aUuid, state: 'pending' }]);
    await reached('delivered', body.id);
    const { payload } = callsAbout(body.id)[0]!.body;
    expect(payload).toMatchObject({ message: { source_recipient_id: '+49 151 1' } });
    expect(payload.conversation).toBeUndefined();
  });
});

describe('an answer of 200', () => {
  it('delivers: {source_message_id, metadata}', async () => {
    spec.shop.answerWith(answering(200, { source_message_id: 'theirs-1', metadata: { cost: 2 } }));
    const { id } = await send(await spec.conversationOf('bob', 'hello'));
    expect((await reached('delivered', id)).metadata).toEqual({ cost: 2, source: { id: 'theirs-1' } });
  });

  it('leaves receipts to metadata.source.delivery_state', async () => {
    spec.shop.answerWith(answering(200, { source_message_id: 'theirs-2' }));
    const { id } = await send(await spec.conversationOf('bea', 'hello'));
    await reached('delivered', id);
    const receipt = (delivery_state: string) => {
      const item = { namespace: 'message', source_id: 'theirs-2', metadata: { source: { delivery_state } } };
      return spec.asShop('sources.webhook', { metadata: [item] });
    };
    for (const state of ['seen', 'delivered']) expect((await receipt(state)).status).toBe(200);
    const seen = { state: 'delivered', metadata: { source: { id: 'theirs-2', delivery_state: 'seen' } } };
    expect(await info(id)).toMatchObject(seen);
  });
});

describe('an answer of 4xx', () => {
  /** Sends a message that the source refuses, and waits until it has failed. */
  async function failed(contact: string): Promise<MessageExample> {
    spec.shop.answerWith(answering(422, { error: 'No such recipient.' }));
    const { id } = await send(await spec.conversationOf(contact, 'hello'));
    return reached('failed', id);
  }

  it('fails: its {error} is stored in the metadata', async () => {
    expect(await failed('cy')).toMatchObject({
      ...{ state: 'failed', delivery_state: 'failed', metadata: { error: 'No such recipient.' } },
    });
  });

  it('is told as metadata.updated and message.updated', async () => {
    const { id } = await failed('dora');
    const conversation_id = await spec.conversationOf('dora', 'again');
    const events = await spec.events({ conversation_id });
    const metadata = { error: 'No such recipient.' };
    expect(events.find(({ type }) => type === 'metadata.updated')?.payload).toEqual({
      ...{ subject: 'message', identifier: id, metadata },
    });
    expect(events.find(({ type }) => type === 'message.updated')?.payload).toMatchObject({
      ...{ conversation_id, channel_id: await spec.channelId() },
      message: { id, delivery_state: 'failed', metadata },
    });
  });

  it('makes messages.resend possible: pending, tried again', async () => {
    const { id } = await failed('eve');
    spec.shop.answerWith(accepting);
    const { status, body } = await spec.post('messages.resend', { message_id: id });
    expect([status, body]).toMatchObject([200, { id, state: 'pending' }]);
    await reached('delivered', id);
    expect(callsAbout(id)).toHaveLength(2);
  });

  it('is needed for messages.resend: 409 {error} else', async () => {
    const { id } = await send(await spec.conversationOf('fay', 'hello'));
    await reached('delivered', id);
    const { status, body } = await spec.post('messages.resend', { message_id: id });
    expect([status, body]).toEqual([409, { error: expect.any(String), code: 'message_not_failed' }]);
  });
});

describe('an answer above 500', () => {
  it('means that the source is unreachable: it is called again', async () => {
    let calls = 0;
    spec.shop.answerWith((call, response, request) => {
      calls++;
      answering(calls === 1 ? 503 : 200, { source_message_id: 'late' })(call, response, request);
    });
    const { id } = await send(await spec.conversationOf('gil', 'hello'));
    expect((await reached('delivered', id)).metadata).toEqual({ source: { id: 'late' } });
    expect(callsAbout(id)).toHaveLength(2);
  });
});

describe('an answer of 429', () => {
  it('waits as Retry-After says, and metadata.error says so', async () => {
    const calledAt: number[] = [];
    spec.shop.answerWith((call, response, request) => {
      if (calledAt.push(performance.now()) === 1) response.writeHead(429, { 'Retry-After': '1' }).end();
      else accepting(call, response, request);
    });
    const conversation_id = await spec.conversationOf('hal', 'hello');
    const { id } = await send(conversation_id);
    expect((await reached('delivered', id)).metadata).not.toHaveProperty('error');
    expect(calledAt[1]! - calledAt[0]!).toBeGreaterThanOrEqual(1_000);
    const [waiting] = await spec.events({ conversation_id, types: ['message.updated'] });
    const metadata = { error: expect.any(String) };
    expect(waiting!.payload).toMatchObject({ message: { id, state: 'pending', metadata } });
  });
});

describe('without an action_endpoint', () => {
  it('the send fails, with an error that says so', async () => {
    const { token } = (await spec.post<{ token: string }>('sources.create', { source_id: 'silent' })).body;
    const as = { Authorization: token };
    const channel = await spec.post<{ id: string }>(
      'sources.channels.create',
      { source_channel_id: 'line', name: 'Line' },
      as,
    );
    const start = { channel_id: channel.body.id, source_recipient_id: 'ann', message: {} };
    const { body } = await spec.post<MessageExample>('messages.send', start);
    const error = expect.stringContaining('action_endpoint');
    expect(await reached('failed', body.id)).toMatchObject({ metadata: { error } });
  });
});

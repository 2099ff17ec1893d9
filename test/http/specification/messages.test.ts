import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { processSystemToken } from '../../_support/hub-process.ts';
import { anonymousSender, aTime, aUuid, chapter, type Listed, type MessageExample, unknownId } from './chapter.ts';

// The specification: “Message”, “Endpoints / Messages”; decisions §4 and §6.
const spec = chapter();

const textsOf = ({ data }: Listed<MessageExample>): unknown[] =>
  data.map(({ content }) => (content as { text: string }).text);
const list = async (asked: object) => (await spec.post<Listed<MessageExample>>('messages.list', asked)).body;

describe('messages.list', () => {
  it('answers Messages, oldest to latest', async () => {
    const conversation_id = await spec.conversationOf('ann', 'one', 'two');
    const page = await list({ conversation_id });
    expect(page).toEqual({
      data: [expect.anything(), expect.anything()],
      pagination_data: { previous_cursor: null, next_cursor: null, total: 2 },
    });
    expect(textsOf(page)).toEqual(['one', 'two']);
    expect(page.data[0]).toEqual({
      ...{ id: aUuid, content: { text: 'one' }, state: 'delivered', delivery_state: 'delivered' },
      ...{ from_contact: true, sent_at: aTime, source: 'shop', metadata: {}, sender: { id: 'ann' } },
    });
    expect((await spec.post('messages.info', { message_id: page.data[0]!.id })).body).toEqual(page.data[0]);
  });

  it('gives the newest first with order: desc', async () => {
    const conversation_id = await spec.conversationOf('bob', 'one', 'two', 'three');
    expect(textsOf(await list({ conversation_id, order: 'desc', page_size: 2 }))).toEqual(['three', 'two']);
  });
});

describe('messages.send', () => {
  it('answers 200 with the Message in state pending', async () => {
    const conversation_id = await spec.conversationOf('cy', 'hello');
    const message = { text: 'Hello World', nested: [{ a: null }] };
    const { status, body } = await spec.post<MessageExample>('messages.send', { conversation_id, message });
    // Decisions §1: the content is the value that was given, where the sample has it encoded once more.
    expect([status, body]).toEqual([
      200,
      {
        ...{ id: aUuid, content: message, state: 'pending', delivery_state: 'pending', from_contact: false },
        ...{ sent_at: aTime, source: 'shop', metadata: {}, sender: { id: anonymousSender } },
      },
    ]);
  });

  it('answers 202 with no body when it is not yet ready', async () => {
    const sent = await spec.post('messages.send', { conversation_id: unknownId, message: { text: 'Hi' } });
    expect([sent.status, sent.body, sent.headers.get('x-message-id')]).toEqual([202, null, aUuid]);
  });

  it('starts a conversation, by recipient and channel', async () => {
    const start = { source_recipient_id: '+49 151 1', channel_id: await spec.channelId(), message: { text: 'Hi' } };
    const { status, body } = await spec.post('messages.send', start);
    expect([status, body]).toMatchObject([200, { state: 'pending', content: { text: 'Hi' } }]);
  });

  it('takes one form, and not both', async () => {
    const both = { conversation_id: unknownId, source_recipient_id: 'ann', channel_id: unknownId };
    for (const target of [{}, both]) {
      const answer = await spec.post('messages.send', { ...target, message: {} });
      expect([answer.status, answer.body]).toMatchObject([400, { code: 'invalid_request' }]);
    }
  });

  it('answers 403 channel_not_connected', async () => {
    const line = { source_channel_id: 'off', name: 'Off' };
    const { body } = await spec.asShop<{ id: string }>('sources.channels.create', line);
    await spec.asShop('sources.channels.disconnect', { channel_id: body.id });
    const start = { source_recipient_id: 'ann', channel_id: body.id, message: {} };
    expect(await spec.post('messages.send', start)).toMatchObject({
      ...{ status: 403, body: { code: 'channel_not_connected' } },
    });
  });

  it('names who sends: system-token-<first 4 of SHA-256>', async () => {
    const conversation_id = await spec.conversationOf('dora', 'hello');
    const authorization = { Authorization: `Bearer ${processSystemToken}` };
    const { body } = await spec.post('messages.send', { conversation_id, message: {} }, authorization);
    const hash = createHash('sha256').update(processSystemToken).digest('hex');
    expect(body).toMatchObject({ sender: { id: `system-token-${hash.slice(0, 4)}` } });
  });
});

describe('messages.suggest-replies', () => {
  it('answers the Message with metadata.suggestions', async () => {
    const conversation_id = await spec.conversationOf('eve', 'hello');
    const [message] = (await list({ conversation_id })).data as [MessageExample];
    const suggestions = {
      'suggestion-1': { content: { text: 'Great that it worked.' } },
      'suggestion-2': { content: { text: 'Have a nice day!' } },
    };
    const ask = (operation: string) => spec.post(operation, { message_id: message.id, suggestions });
    const { status, body } = await ask('messages.suggest-replies');
    expect([status, body]).toEqual([200, { ...message, metadata: { suggestions } }]);
    expect((await ask('messages.suggestReplies')).status).toBe(200);
  });
});

describe('metadata.upsert', () => {
  const upsert = (subject: string, id: string, data: object) => spec.post('metadata.upsert', { subject, id, data });

  it.each(['message', 'conversation', 'channel'])('merges into metadata.user_data of a %s', async (subject) => {
    const conversation_id = await spec.conversationOf(`meta-${subject}`, 'hello');
    const [message] = (await list({ conversation_id })).data as [MessageExample];
    const channel_id = await spec.channelId();
    const id = { message: message.id, conversation: conversation_id, channel: channel_id }[subject]!;
    const asked = { message_id: message.id, conversation_id, channel_id };
    const userData = async () => {
      const { body } = await spec.post<MessageExample>(`${subject}s.info`, asked);
      return body.metadata['user_data'];
    };
    expect(await upsert(subject, id, { ticket: '4711', a: { b: 1 }, list: [1, 2] })).toMatchObject({
      ...{ status: 204, body: null },
    });
    await upsert(subject, id, { ticket: null, a: { c: 2 }, list: [3] });
    expect(await userData()).toEqual({ a: { b: 1, c: 2 }, list: [3] });
  });

  it('is told as metadata.updated with the full metadata', async () => {
    const conversation_id = await spec.conversationOf('told', 'hello');
    await upsert('conversation', conversation_id, { first: 1 });
    await upsert('conversation', conversation_id, { second: 2 });
    const told = (await spec.events({ conversation_id, types: ['metadata.updated'] })).at(-1)!;
    expect(told.payload).toMatchObject({
      ...{ subject: 'conversation', identifier: conversation_id },
      metadata: { contact: {}, unread_count: 1, user_data: { first: 1, second: 2 } },
    });
  });
});

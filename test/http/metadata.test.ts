import { describe, expect, it } from 'vitest';
import { refusalOf, startApi } from '../_support/api.ts';

const unknown = '0192f3a4-5b6c-7d8e-9f01-23456789abce';

/** A hub with one channel, conversation and message: what metadata can be about. */
async function start() {
  const api = await startApi();
  const shop = await api.addSource('shop');
  const conversation = await shop.push('ann', 'one');
  const messages = await api.post<{ data: { id: string }[] }>('/messages.list', { conversation_id: conversation });
  const subjects = { message: messages.body.data[0]!.id, conversation, channel: shop.channel };
  const metadataOf = async (subject: keyof typeof subjects): Promise<Record<string, unknown>> => {
    const { message, channel } = subjects;
    if (subject === 'message') return api.reader.messages.find(message)!.message.metadata;
    return subject === 'channel'
      ? api.reader.channels.find(channel)!.metadata
      : api.reader.conversations.find(conversation)!.metadata;
  };
  return { api, subjects, metadataOf, [Symbol.asyncDispose]: () => api[Symbol.asyncDispose]() };
}

describe('/metadata.upsert', () => {
  it.each(['message', 'conversation', 'channel'] as const)('merges below user_data of a %s', async (subject) => {
    await using hub = await start();
    const upsert = (data: object) => hub.api.post('/metadata.upsert', { subject, id: hub.subjects[subject], data });
    const { status, body } = await upsert({ ticket: '4711', tags: ['a', 'b'], deep: { x: 1, y: 2 } });
    expect([status, body]).toEqual([204, null]);
    await upsert({ ticket: null, tags: ['c'], deep: { y: 3 } });
    expect(await hub.metadataOf(subject)).toMatchObject({ user_data: { tags: ['c'], deep: { x: 1, y: 3 } } });
    expect((await hub.metadataOf(subject))['user_data']).not.toHaveProperty('ticket');
  });

  it.each(['message', 'conversation', 'channel'])('does not know a %s that is not there', async (subject) => {
    await using hub = await start();
    const answer = await hub.api.post('/metadata.upsert', { subject, id: unknown, data: {} });
    expect(refusalOf(answer)).toEqual([404, 'not_found']);
  });

  it.each([
    ['another subject', { subject: 'source' }, 'subject'],
    ['no id', { id: undefined }, 'id'],
    ['data that is no object', { data: ['a'] }, 'data'],
  ])('refuses %s', async (_, fields, path) => {
    await using hub = await start();
    const answer = await hub.api.post('/metadata.upsert', { subject: 'channel', id: unknown, data: {}, ...fields });
    expect([...refusalOf(answer), answer.body.details?.[0]?.path]).toEqual([400, 'invalid_request', path]);
  });
});

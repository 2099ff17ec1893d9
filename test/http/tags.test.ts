import { describe, expect, it } from 'vitest';
import { refusalOf, startApi } from '../_support/api.ts';

const unknown = '0192f3a4-5b6c-7d8e-9f01-23456789abce';

interface Tag {
  id: string;
  name: string;
  color: string;
}

/** A hub with one conversation and one tag. */
async function start() {
  const api = await startApi();
  const shop = await api.addSource('shop');
  const conversation_id = await shop.push('ann', 'one');
  const create = (body: object) => api.post<Tag>('/tags.create', body);
  const { body: tag } = await create({ name: 'Urgent', color: 'tag-red' });
  const list = async () => (await api.post<{ data: Tag[] }>('/tags.list')).body.data;
  const put = (verb: 'tag' | 'untag', body: object = {}) =>
    api.post(`/conversations.${verb}`, { conversation_id, tag_id: tag.id, ...body });
  const shown = async () =>
    (await api.post<{ metadata: { tags?: object } }>('/conversations.info', { conversation_id })).body.metadata.tags;
  return { api, tag, create, list, put, shown, [Symbol.asyncDispose]: () => api[Symbol.asyncDispose]() };
}

describe('/tags.create and /tags.list', () => {
  it('make tags and give them in their order', async () => {
    await using hub = await start();
    const { status, body } = await hub.create({ name: 'Later', color: 'tag-purple' });
    expect([status, body]).toEqual([201, { id: body.id, name: 'Later', color: 'tag-purple' }]);
    expect(await hub.list()).toEqual([hub.tag, body]);
  });

  it.each([{ name: '' }, { name: ' ' }, { name: 'a\u0000' }, { name: null }, { color: 'red' }, { color: null }])(
    'refuse %j',
    async (fields) => {
      await using hub = await start();
      const answer = await hub.create({ name: 'Later', color: 'tag-blue', ...fields });
      expect([
        ...refusalOf(answer as never),
        (answer.body as never as { details: { path: string }[] }).details[0]!.path,
      ]).toEqual([400, 'invalid_request', Object.keys(fields)[0]]);
    },
  );
});

describe('/tags.update', () => {
  it('changes what it names, and keeps the rest', async () => {
    await using hub = await start();
    const { id } = hub.tag;
    expect((await hub.api.post('/tags.update', { id, name: 'Soon' })).status).toBe(204);
    await hub.api.post('/tags.update', { id: id.toUpperCase(), color: 'tag-green', name: null });
    expect(await hub.list()).toEqual([{ id, name: 'Soon', color: 'tag-green' }]);
  });
});

describe('/tags.delete', () => {
  it('takes a tag away at once', async () => {
    await using hub = await start();
    await hub.put('tag');
    const { id } = hub.tag;
    expect((await hub.api.post('/tags.delete', { id })).status).toBe(204);
    // No conversation has heard of it: nothing carries what actors tell each other.
    expect([await hub.list(), await hub.shown()]).toEqual([[], undefined]);
    expect(refusalOf(await hub.api.post('/tags.delete', { id }))).toEqual([404, 'not_found']);
    expect(refusalOf(await hub.api.post('/tags.update', { id, name: 'x' }))).toEqual([404, 'not_found']);
  });
});

it.each(['/tags.update', '/tags.delete'])('%s does not know a tag that is not there', async (path) => {
  await using hub = await start();
  expect(refusalOf(await hub.api.post(path, { id: unknown }))).toEqual([404, 'not_found']);
});

describe('/conversations.tag and .untag', () => {
  it('put a tag on a conversation, and take it off', async () => {
    await using hub = await start();
    expect((await hub.put('tag')).status).toBe(204);
    expect((await hub.put('tag')).status).toBe(204);
    expect(await hub.shown()).toEqual({ [hub.tag.id]: '' });
    expect((await hub.put('untag')).status).toBe(204);
    expect((await hub.put('untag')).status).toBe(204);
    expect(await hub.shown()).toBeUndefined();
  });

  it('show each tag of several', async () => {
    await using hub = await start();
    const { body: other } = await hub.create({ name: 'Later', color: 'tag-blue' });
    await hub.put('tag');
    await hub.put('tag', { tag_id: other.id });
    await hub.api.post('/tags.delete', { id: hub.tag.id });
    expect(await hub.shown()).toEqual({ [other.id]: '' });
  });

  it.each(['tag', 'untag'] as const)('%s knows only what is there', async (verb) => {
    await using hub = await start();
    expect(refusalOf(await hub.put(verb, { tag_id: unknown }))).toEqual([404, 'not_found']);
    expect(refusalOf(await hub.put(verb, { conversation_id: unknown }))).toEqual([404, 'not_found']);
  });
});

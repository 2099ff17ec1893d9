import { describe, expect, it } from 'vitest';
import { type Refusal, refusalOf, startApi } from '../_support/api.ts';

const unknown = '0192f3a4-5b6c-7d8e-9f01-23456789abce';

interface Template {
  id: string;
  name: string;
  source: string;
  content: unknown;
}

/** A hub with a template of `shop` and one of `desk`. */
async function start() {
  const api = await startApi();
  const create = (body: object) => api.post<Template & Refusal>('/templates.create', body);
  const { body: hello } = await create({ name: 'Hello', source: 'shop', content: { text: 'Hi!' } });
  const { body: bye } = await create({ name: 'Good bye', source: 'desk', content: 'Bye.' });
  const list = async (body: object) => (await api.post<{ data: Template[] }>('/templates.list', body)).body.data;
  const info = async (id: string) => (await api.post<Template>('/templates.info', { id })).body;
  return { api, hello, bye, create, list, info, [Symbol.asyncDispose]: () => api[Symbol.asyncDispose]() };
}

describe('/templates.create', () => {
  it('keeps a message as it was given', async () => {
    await using hub = await start();
    expect(hub.hello).toEqual({ id: hub.hello.id, name: 'Hello', source: 'shop', content: { text: 'Hi!' } });
    const response = await fetch(`${hub.api.url}/templates.create`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: '{"name":"Exact","source":"shop","content":[9007199254740993,1.10]}',
    });
    expect([response.status, await response.text()]).toEqual([201, expect.stringContaining('[9007199254740993,1.10]')]);
  });

  it.each([{ name: '' }, { source: '' }, { source: 'a\nb' }, { content: null }, { content: undefined }])(
    'refuses %j',
    async (fields) => {
      await using hub = await start();
      const answer = await hub.create({ name: 'x', source: 'shop', content: 1, ...fields });
      expect([...refusalOf(answer), answer.body.details?.[0]?.path]).toEqual([
        ...[400, 'invalid_request'],
        Object.keys(fields)[0],
      ]);
    },
  );
});

describe('/templates.list', () => {
  it('gives those of one source, also by a part of the name', async () => {
    await using hub = await start();
    const { body: again } = await hub.create({ name: 'Hello again', source: 'shop', content: [] });
    expect(await hub.list({ source: 'shop' })).toEqual([hub.hello, again]);
    expect(await hub.list({ source: 'shop', name: 'O AG' })).toEqual([again]);
    expect(await hub.list({ source: 'shop', name: '%' })).toEqual([]);
    expect(await hub.list({ source: 'nobody' })).toEqual([]);
  });
});

describe('/templates.update', () => {
  it('changes what it names, and keeps the rest', async () => {
    await using hub = await start();
    const { id } = hub.hello;
    const update = async (fields: object) =>
      (await hub.api.post<Template>('/templates.update', { id, ...fields })).body;
    expect(await update({ content: false })).toEqual({ ...hub.hello, content: false });
    expect(await update({ name: 'Hey', content: null })).toEqual({ ...hub.hello, name: 'Hey', content: false });
    expect(await update({ source: 'desk' })).toEqual({ id, name: 'Hey', source: 'desk', content: false });
    expect(await hub.list({ source: 'desk' })).toEqual([await hub.info(id), hub.bye]);
  });
});

describe('/templates.delete', () => {
  it('takes a template away', async () => {
    await using hub = await start();
    const { id } = hub.hello;
    expect((await hub.api.post('/templates.delete', { id })).status).toBe(204);
    expect(await hub.list({ source: 'shop' })).toEqual([]);
    for (const path of ['/templates.info', '/templates.update', '/templates.delete']) {
      expect(refusalOf(await hub.api.post(path, { id }))).toEqual([404, 'not_found']);
    }
  });
});

it.each(['/templates.info', '/templates.update', '/templates.delete'])(
  '%s does not know a template that is not there',
  async (path) => {
    await using hub = await start();
    expect(refusalOf(await hub.api.post(path, { id: unknown }))).toEqual([404, 'not_found']);
  },
);

import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { refusalOf, type TestApi, type TestSource } from '../_support/api.ts';
import { until } from '../_support/source-client.ts';
import { type Contact, type Page, startDispatching, unknown } from './contact-support.ts';

/** One word, so that the index of filters has it as it stands here. */
const secret = 'Kugelschreiber';
const picture = Buffer.from('89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c489', 'hex');

async function uploaded(api: TestApi): Promise<string> {
  const form = new FormData();
  form.append('file', new Blob([picture]), 'a.png');
  const response = await fetch(`${api.url}/media.upload`, { method: 'POST', body: form });
  return ((await response.json()) as { media_url: string }).media_url;
}

/** A conversation of somebody who wrote something, with its contact. */
async function written(api: TestApi, source: TestSource, who: string, ...texts: string[]) {
  const conversation = await source.push(who, ...texts);
  const find = async () => api.post<Contact>('/contacts.info', { conversation_id: conversation });
  await until('the contact', async () => (await find()).status === 200);
  return { conversation, contact: (await find()).body.id };
}

async function start() {
  const api = await startDispatching();
  const source = await api.addSource('shop');
  return { api, source, ...(await written(api, source, 'ann', `${secret} 1`, `${secret} 2`)) };
}

const erase = (api: TestApi, id: string) => api.post<Record<string, number>>('/contacts.erase', { id });

/** The files of the hub with something in them, once its log is empty. */
async function filesWith(api: TestApi, text: string): Promise<string[]> {
  await api.system.stop();
  new Database(api.system.file).pragma('wal_checkpoint(TRUNCATE)');
  const folder = dirname(api.system.file);
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return files.flatMap(({ parentPath, name }) => (readFileSync(join(parentPath, name)).includes(text) ? [name] : []));
}

describe('/contacts.erase', () => {
  it('takes out all that there is of a person, and says how much', async () => {
    const { api, conversation, contact } = await start();
    await using _ = api;
    await api.post('/contacts.update', { id: contact, display_name: secret, via: { phone: secret } });
    await api.post('/metadata.upsert', { subject: 'conversation', id: conversation, data: { note: secret } });
    const media_url = await uploaded(api);
    await api.post('/messages.send', { conversation_id: conversation, message: { text: secret, image: media_url } });
    const found = () => api.post<Page>('/conversations.list', { filters: `text:${secret}` });
    expect((await found()).body.data).toHaveLength(1);
    const answer = await erase(api, contact);
    expect([answer.status, answer.body]).toEqual([200, { contacts: 1, conversations: 1, messages: 3, files: 1 }]);
    expect((await found()).body.data).toEqual([]);
    expect((await fetch(media_url)).status).toBe(404);
    expect(refusalOf(await api.post('/contacts.info', { id: contact }))).toEqual([404, 'not_found']);
    const messages = await api.post<Page>('/messages.list', { conversation_id: conversation });
    expect(messages.body.data.map(({ content }) => content)).toEqual(
      Array.from({ length: 3 }, () => ({ erased: true })),
    );
    const events = await api.post<{ data: unknown[] }>('/events.list', { limit: 1_000 });
    expect(JSON.stringify(events.body)).not.toContain(secret);
    expect(events.body.data).toContainEqual(
      expect.objectContaining({ type: 'contact.updated', payload: { id: contact, deleted: true, erased: true } }),
    );
    expect(await filesWith(api, secret)).toEqual([]);
  });

  it('is repeated without harm, and takes what came since', async () => {
    const { api, source, contact } = await start();
    await using _ = api;
    await erase(api, contact);
    expect((await erase(api, contact)).body).toEqual({ contacts: 1, conversations: 0, messages: 0, files: 0 });
    await written(api, source, 'ann', 'again');
    expect((await erase(api, contact)).body).toEqual({ contacts: 1, conversations: 1, messages: 1, files: 0 });
  });

  it('leaves a file that somebody else shows', async () => {
    const { api, source, conversation, contact } = await start();
    await using _ = api;
    const other = await written(api, source, 'bob', 'Hi');
    const media_url = await uploaded(api);
    for (const conversation_id of [conversation, other.conversation]) {
      await api.post('/messages.send', { conversation_id, message: { image: media_url } });
    }
    expect((await erase(api, contact)).body).toMatchObject({ files: 0 });
    expect((await fetch(media_url)).status).toBe(200);
    expect((await erase(api, other.contact)).body).toMatchObject({ files: 1 });
    expect((await fetch(media_url)).status).toBe(404);
    expect(await uploaded(api)).toBe(media_url);
    expect((await fetch(media_url)).status).toBe(200);
  });

  it.each([
    [
      'image of a source',
      (api: TestApi, image_url: string) => api.post('/sources.create', { source_id: 'other', image_url }),
    ],
    [
      'suggested reply',
      async (api: TestApi, image: string, message_id: string) =>
        api.post('/messages.suggest-replies', { message_id, suggestions: { one: { content: { image } } } }),
    ],
  ])('leaves a file that is the %s', async (_, show) => {
    const { api, source, conversation, contact } = await start();
    await using __ = api;
    const media_url = await uploaded(api);
    await api.post('/messages.send', { conversation_id: conversation, message: { image: media_url } });
    const other = await written(api, source, 'bob', 'Hi');
    const listed = await api.post<Page>('/messages.list', { conversation_id: other.conversation });
    const shown = await show(api, media_url, (listed.body.data[0] as unknown as { id: string }).id);
    expect(shown.status).toBe(200);
    expect((await erase(api, contact)).body).toMatchObject({ files: 0 });
    expect((await fetch(media_url)).status).toBe(200);
  });

  it('refuses a repeated send whose answer was erased', async () => {
    const { api, conversation, contact } = await start();
    await using _ = api;
    const send = () =>
      api.post<{ id: string; content: object }>(
        '/messages.send',
        { conversation_id: conversation, message: { text: secret } },
        { 'Idempotency-Key': 'one' },
      );
    const first = (await send()).body;
    expect((await send()).body).toEqual(first);
    await erase(api, contact);
    const repeated = await send();
    expect(refusalOf(repeated as never)).toEqual([409, 'conversation_erased']);
    expect(repeated.headers.get('idempotency-replayed')).toBe('true');
    expect(await filesWith(api, secret)).toEqual([]);
  });

  it('refuses to send to nobody, and to erase nobody', async () => {
    const { api, conversation, contact } = await start();
    await using _ = api;
    await erase(api, contact);
    const sent = await api.post('/messages.send', { conversation_id: conversation, message: { text: 'Hi' } });
    expect(refusalOf(sent)).toEqual([409, 'conversation_erased']);
    expect(refusalOf(await api.post('/contacts.erase', { id: unknown }))).toEqual([404, 'not_found']);
  });
});

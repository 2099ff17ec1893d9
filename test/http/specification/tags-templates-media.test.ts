import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { aUuid, chapter } from './chapter.ts';

// The decisions of the specification, §4: tags, templates and files.
const spec = chapter();

interface Tag {
  id: string;
  name: string;
  color: string;
}

interface Template {
  id: string;
}

const done = { status: 204, body: null };

describe('tags', () => {
  const create = (color: string) => spec.post<Tag>('tags.create', { name: 'Urgent', color });
  const list = async () => (await spec.post<{ data: Tag[] }>('tags.list')).body.data;

  it.each(['tag-red', 'tag-blue', 'tag-green', 'tag-purple'])('are made in the color %s', async (color) => {
    const { status, body } = await create(color);
    expect([status, body]).toEqual([201, { id: aUuid, name: 'Urgent', color }]);
    expect(await list()).toContainEqual(body);
  });

  it('have no other color', async () => {
    expect(await create('tag-yellow')).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
  });

  it('are changed: 204', async () => {
    const { body: tag } = await create('tag-red');
    expect(await spec.post('tags.update', { id: tag.id, name: 'Soon' })).toMatchObject(done);
    expect(await list()).toContainEqual({ ...tag, name: 'Soon' });
  });

  it('leave every conversation when they are deleted: 204', async () => {
    const { body: tag } = await create('tag-red');
    const conversation_id = await spec.conversationOf('ann', 'hello');
    await spec.post('conversations.tag', { conversation_id, tag_id: tag.id });
    expect(await spec.post('tags.delete', { id: tag.id })).toMatchObject(done);
    const { body } = await spec.post<{ metadata: object }>('conversations.info', { conversation_id });
    expect(body.metadata).not.toHaveProperty('tags');
    expect(await list()).not.toContainEqual(tag);
  });

  it('are told as tag.updated', async () => {
    const { body: tag } = await create('tag-green');
    await spec.post('tags.delete', { id: tag.id });
    const events = await spec.events({ types: ['tag.updated'] });
    const told = events.filter(({ subject }) => subject.id === tag.id).map(({ payload }) => payload);
    expect(told).toEqual([tag, { ...tag, deleted: true }]);
  });
});

describe('templates', () => {
  const greeting = { name: 'Greeting', source: 'shop', content: { text: 'Good morning, {{name}}!' } };
  const create = async (fields: object = {}) =>
    (await spec.post<Template>('templates.create', { ...greeting, ...fields })).body;

  it('are made: 201 Template', async () => {
    const { status, body } = await spec.post<Template>('templates.create', greeting);
    expect([status, body]).toEqual([201, { id: aUuid, ...greeting }]);
    expect((await spec.post('templates.info', { id: body.id })).body).toEqual(body);
  });

  it('are listed by source and a part of their name', async () => {
    const template = await create({ name: 'Farewell', source: 'desk' });
    await create({ source: 'desk' });
    const { body } = await spec.post<{ data: Template[] }>('templates.list', { source: 'desk', name: 'well' });
    expect(body.data).toEqual([template]);
    expect((await spec.post('templates.list', {})).status).toBe(400);
  });

  it('are changed, and deleted: 204', async () => {
    const template = await create();
    const content = { text: 'Good evening!' };
    const updated = await spec.post('templates.update', { id: template.id, content });
    expect([updated.status, updated.body]).toEqual([200, { ...template, content }]);
    expect(await spec.post('templates.delete', { id: template.id })).toMatchObject(done);
    expect((await spec.post('templates.info', { id: template.id })).status).toBe(404);
  });
});

describe('media.upload', () => {
  const png = Buffer.from('89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c489', 'hex');

  async function upload(path: string, content: string | Uint8Array<ArrayBuffer>, name: string): Promise<string> {
    const form = new FormData();
    form.append('file', new Blob([content]), name);
    const answer = await fetch(`${spec.hub.url}/${path}`, { method: 'POST', body: form });
    const body = (await answer.json()) as { media_url: string };
    expect([answer.status, body]).toEqual([200, { media_url: expect.any(String) }]);
    return body.media_url;
  }

  it.each(['media.upload', 'media.uploadFile'])('%s answers {media_url}, which the hub serves', async (path) => {
    const address = await upload(path, png, 'photo.png');
    const hash = createHash('sha256').update(png).digest('hex');
    expect(address).toBe(`${spec.hub.url}/media/${hash}.png`);
    const file = await fetch(address);
    expect(Buffer.from(await file.arrayBuffer())).toEqual(png);
    expect(file.headers.get('content-type')).toBe('image/png');
    expect(file.headers.get('x-content-type-options')).toBe('nosniff');
  });

  it('shows no HTML and no SVG in its place', async () => {
    for (const text of ['<html><script>1</script></html>', '<svg xmlns="http://www.w3.org/2000/svg"/>']) {
      const { headers } = await fetch(await upload('media.upload', text, 'photo.png'));
      expect(headers.get('content-disposition')).toMatch(/^attachment/);
    }
  });
});

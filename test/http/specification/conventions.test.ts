import { describe, expect, it } from 'vitest';
import { operations } from '#src/http/operations.ts';
import { chapter, aCursor, aUuid, type Listed, unknownId } from './chapter.ts';

// The specification: conventions, pagination, “Errors”, “Versioning”; decisions §1 and §2.
const spec = chapter();
const json = { 'Content-Type': 'application/json' };
const ask = (path: string, init: RequestInit = {}) => fetch(spec.hub.url + path, init);

describe('every operation', () => {
  it('is a POST to {base_url}/<resource>.<operation>', async () => {
    for (const { path } of operations) {
      expect(path).toMatch(/^\/[a-z-]+(\.[a-zA-Z-]+)+$/);
      const answer = await ask(path);
      expect([path, answer.status, answer.headers.get('allow')]).toEqual([path, 405, 'POST, OPTIONS']);
    }
  });

  it.each([
    ...['channels.list', 'sources.list', 'components.get', 'components.list', 'webhooks.list', 'client.config'],
    ...['contacts.list', 'users.list', 'conversations.list', 'tags.list', 'events.list'],
  ])('%s takes no body at all', async (name) => {
    expect((await ask(`/${name}`, { method: 'POST', headers: json })).status).toBe(200);
    expect((await ask(`/${name}`, { method: 'POST' })).status).toBe(200);
  });

  it('ignores a field that it does not know', async () => {
    expect((await spec.post('contacts.list', { colour: 'red', page_size: 1 })).status).toBe(200);
  });

  it('takes null for a field that is absent', async () => {
    expect((await spec.post('channels.list', { source: null, include_disconnected: null })).status).toBe(200);
    expect((await spec.post('contacts.list', { cursor: null, page_size: null })).status).toBe(200);
  });

  it('answers with X-Request-Id and X-Api-Version', async () => {
    const made = await spec.post('client.config');
    expect([made.headers.get('x-request-id'), made.headers.get('x-api-version')]).toEqual([
      aUuid,
      expect.stringMatching(/^\d/),
    ]);
    const taken = await spec.post('client.config', {}, { 'X-Request-Id': 'mine-1' });
    expect(taken.headers.get('x-request-id')).toBe('mine-1');
  });
});

describe('cursor and page_size', () => {
  /** Three of each, which the lists are walked through. */
  async function three(): Promise<string> {
    for (const display_name of ['Ann', 'Bob', 'Cy']) await spec.post('contacts.create', { display_name });
    return spec.conversationOf('pages', 'one', 'two', 'three');
  }

  it.each(['contacts.list', 'messages.list'])('walk through %s', async (list) => {
    const conversation_id = await three();
    const page = async (cursor?: string | null) =>
      (await spec.post<Listed>(list, { conversation_id, page_size: 2, cursor })).body;
    const first = await page();
    expect(first).toEqual({
      data: [expect.anything(), expect.anything()],
      pagination_data: { previous_cursor: null, next_cursor: aCursor, total: expect.any(Number) },
    });
    const second = await page(first.pagination_data.next_cursor);
    expect(second.pagination_data).toMatchObject({ previous_cursor: aCursor, total: first.pagination_data.total });
    expect(second.data.map(({ id }) => id)).not.toContain(first.data[0]!.id);
    expect((await page(second.pagination_data.previous_cursor)).data).toEqual(first.data);
    expect((await page('')).data).toEqual(first.data);
  });

  it('belong to users.list too', async () => {
    const { status, body } = await spec.post('users.list', { page_size: 5, cursor: '' });
    const pagination_data = { previous_cursor: null, next_cursor: null, total: 0 };
    expect([status, body]).toEqual([200, { data: [], pagination_data }]);
  });

  it.each([0, 1_001])('refuse the page_size %d', async (page_size) => {
    const answer = await spec.post('contacts.list', { page_size });
    expect([answer.status, answer.body]).toMatchObject([400, { code: 'invalid_request' }]);
  });

  it('take 1,000 items, and 20 when nothing is said', async () => {
    const people = Array.from({ length: 25 }, (_, n) => ({ display_name: `Zoe ${n}` }));
    await spec.post('contacts.import', people);
    expect((await spec.post<Listed>('contacts.list')).body.data).toHaveLength(20);
    expect((await spec.post<Listed>('contacts.list', { page_size: 1_000 })).body.data.length).toBeGreaterThan(24);
  });

  it('refuse a cursor that can not be read', async () => {
    const answer = await spec.post('messages.list', { conversation_id: await three(), cursor: 'nonsense' });
    expect([answer.status, answer.body]).toMatchObject([400, { code: 'invalid_cursor' }]);
  });
});

describe('an error', () => {
  it('is {error, code, details: [{path, problem}]}', async () => {
    const answer = await spec.post('messages.send', { conversation_id: 'ann', message: {} });
    expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
    expect([answer.status, answer.body]).toEqual([
      400,
      {
        error: expect.stringMatching(/\.$/),
        code: 'invalid_request',
        details: [{ path: 'conversation_id', problem: expect.any(String) }],
      },
    ]);
  });

  it.each<[string, RequestInit, number, string]>([
    ['/contacts.list', { method: 'POST', headers: json, body: '{"page_size":' }, 400, 'malformed_json'],
    ['/contacts.list', { method: 'POST', headers: { 'Content-Type': 'text/plain' }, body: 'x' }, 415, ''],
    ['/contacts.rename', { method: 'POST' }, 404, 'not_found'],
    ['/contacts.list', { method: 'PUT' }, 405, 'method_not_allowed'],
    ['/tags.create', { method: 'POST', headers: json, body: `"${'x'.repeat(1_100_000)}"` }, 413, 'body_too_large'],
  ])('of %s %o is %i %s', async (path, init, status, code) => {
    const answer = await ask(path, init);
    const body = (await answer.json()) as { error: string; code: string };
    expect([answer.status, body.code]).toEqual([status, code || 'unsupported_media_type']);
  });

  it.each([
    ['channels.info', { channel_id: unknownId }],
    ['messages.list', { conversation_id: unknownId }],
    ['contacts.info', { id: unknownId }],
    ['webhooks.info', { id: unknownId }],
    ['sources.update', { source_id: 'nobody' }],
  ])('of %s with an unknown id is 404', async (operation, body) => {
    const answer = await spec.post(operation, body);
    expect([answer.status, answer.body]).toEqual([404, { error: expect.any(String), code: 'not_found' }]);
  });
});

describe('an Idempotency-Key', () => {
  const create = (display_name: string) =>
    spec.post('contacts.create', { display_name }, { 'Idempotency-Key': 'key-1' });

  it('gives the first answer again, another body 409', async () => {
    const [first, again, other] = [await create('Ann'), await create('Ann'), await create('Bob')];
    expect([again.status, again.body, again.headers.get('idempotency-replayed')]).toEqual([201, first.body, 'true']);
    expect(first.headers.get('idempotency-replayed')).toBeNull();
    expect([other.status, other.body]).toMatchObject([409, { code: 'idempotency_conflict' }]);
  });
});

describe('what describes the hub', () => {
  it('is OpenAPI 3.1 at GET /openapi.json', async () => {
    const document = (await (await ask('/openapi.json')).json()) as { openapi: string; paths: object };
    expect(document.openapi).toMatch(/^3\.1/);
    expect(Object.keys(document.paths)).toEqual(expect.arrayContaining(['/messages.send', '/contacts.merge']));
  });

  it('is a page at GET /docs, and GET /asyncapi.json', async () => {
    expect((await ask('/docs')).headers.get('content-type')).toMatch(/^text\/html/);
    expect(await (await ask('/asyncapi.json')).json()).toMatchObject({ asyncapi: expect.any(String) });
  });

  it.each(['/health/live', '/health/ready'])('is well: GET %s', async (path) => {
    expect((await ask(path)).status).toBe(200);
  });

  it('is measured at GET /metrics of a port of its own', async () => {
    const ready = spec.hub.log.find(({ msg }) => msg === 'hub.ready');
    const metrics = await fetch(ready?.['metricsUrl'] as string);
    expect([metrics.status, await metrics.text()]).toEqual([200, expect.stringContaining('# TYPE')]);
    expect((await ask('/metrics')).status).toBe(404);
  });

  it('is the cluster_version of client.config', async () => {
    expect((await spec.post('client.config')).body).toMatchObject({ cluster_version: expect.any(String) });
  });
});

import { describe, expect, it } from 'vitest';
import type { ApiKeyJson } from '#actors/representation.ts';
import { operations } from '#src/http/operations.ts';
import { type Refusal, refusalOf, startApi, type TestApi } from '../_support/api.ts';
import { systemToken, testConfig } from '../_support/config.ts';

type Made = ApiKeyJson & { key: string };
interface Page<T> {
  data: T[];
  pagination_data: { total: number; next_cursor: string | null };
}

const system = { Authorization: `Bearer ${systemToken}` };
const withKey = ({ key }: { key: string }) => ({ Authorization: `Bearer ${key}` });
const closed = () => startApi({ config: testConfig({ authentication: true }) });

async function makeKey(api: TestApi, rights: { operations?: string[]; sources?: string[] } = {}): Promise<Made> {
  const body = { name: 'CRM', operations: ['*'], ...rights };
  const { body: key } = await api.post<Made>('/keys.create', body, system);
  return key;
}

const sorted = (texts: readonly string[]): string[] => [...texts].sort();

describe('an API key', () => {
  it('is shown once, and kept as a hash', async () => {
    await using api = await closed();
    const made = await makeKey(api, { operations: ['conversations.*'], sources: ['shop'] });
    expect(made.key).toMatch(/^parley_[0-9a-f]{32}_[A-Za-z0-9_-]{43}$/);
    const { body } = await api.post<Page<ApiKeyJson>>('/keys.list', {}, system);
    expect(body.data).toEqual([
      {
        ...{ id: made.id, name: 'CRM', operations: ['conversations.*'], sources: ['shop'] },
        ...{ created_by: expect.stringMatching(/^system-token-/), created_at: '2026-01-01T00:00:00.000Z' },
      },
    ]);
    const db = api.system.open();
    const stored = JSON.stringify([
      db.prepare('SELECT * FROM api_key').all(),
      db.prepare('SELECT * FROM journal').all(),
      db.prepare('SELECT * FROM idempotency_key').all(),
    ]);
    db.close();
    expect(stored).not.toContain(made.key.slice(-43));
    expect(JSON.stringify(api.lines)).not.toContain(made.key.slice(-43));
  });

  it('is the same one when its making is repeated', async () => {
    await using api = await closed();
    const headers = { ...system, 'Idempotency-Key': 'once' };
    const body = { name: 'CRM', operations: ['channels.list'] };
    const first = await api.post<Made>('/keys.create', body, headers);
    const second = await api.post<Made>('/keys.create', body, headers);
    expect(second.headers.get('idempotency-replayed')).toBe('true');
    expect(second.body).toEqual(first.body);
    expect((await api.post('/channels.list', {}, withKey(second.body))).status).toBe(200);
    expect(JSON.stringify(api.sent)).not.toContain(first.body.key);
  });

  it('names the sender of its messages', async () => {
    await using api = await closed();
    const shop = await api.addSource('shop');
    const conversation_id = await shop.push('ann', 'hello');
    const key = await makeKey(api, { operations: ['messages.send', 'client.config'], sources: ['shop'] });
    const sender = { id: `api-key:${key.id}`, name: 'CRM' };
    const sent = await api.post<{ sender: unknown }>(
      '/messages.send',
      { conversation_id, message: { text: 'hi' } },
      withKey(key),
    );
    expect(sent.body.sender).toEqual(sender);
    const config = await api.post<{ user_profile: unknown }>('/client.config', {}, withKey(key));
    expect(config.body.user_profile).toEqual(sender);
  });

  it.each(['all', 'resources', 'names'].flatMap((by) => [false, true].map((bound) => [by, bound] as const)))(
    'opens what its operations name, by %s, bound: %s',
    async (by, bound) => {
      await using api = await closed();
      // An import is carried out by it.
      api.dispatch();
      const made = new Map<string, Made>();
      for (const { path, keys = 'unbound', example } of operations.filter(({ auth }) => auth === 'core')) {
        const patterns = { all: '*', resources: `${path.slice(1).split('.')[0]}.*`, names: path.slice(1) };
        const pattern = patterns[by as keyof typeof patterns];
        const key =
          made.get(pattern) ?? (await makeKey(api, { operations: [pattern], ...(bound && { sources: ['shop'] }) }));
        made.set(pattern, key);
        const { status } = await api.post(path, example, withKey(key));
        const isOpen = keys === 'bound' || (keys === 'unbound' && !bound);
        expect([path, pattern, status !== 401 && status !== 403]).toEqual([path, pattern, isOpen]);
      }
    },
  );

  it('opens nothing else', async () => {
    await using api = await closed();
    const key = await makeKey(api, { operations: ['things.info', 'thing.*', 'conversation.*'] });
    for (const { path, example } of operations.filter(({ auth }) => auth !== 'public')) {
      expect([path, ...refusalOf(await api.post(path, example, withKey(key)))]).toEqual([path, 403, 'forbidden']);
    }
  });

  it('makes no other, whatever it opens', async () => {
    await using api = await closed();
    const key = await makeKey(api, { operations: ['*', 'keys.*', 'keys.create'] });
    for (const path of ['/keys.create', '/keys.list', '/keys.revoke']) {
      expect(refusalOf(await api.post(path, { name: 'x', operations: ['*'] }, withKey(key)))).toEqual([
        403,
        'forbidden',
      ]);
    }
  });

  it('opens nothing once it is revoked', async () => {
    await using api = await closed();
    const key = await makeKey(api);
    expect((await api.post('/channels.list', {}, withKey(key))).status).toBe(200);
    expect((await api.post('/keys.revoke', { id: key.id }, system)).status).toBe(204);
    expect(refusalOf(await api.post('/channels.list', {}, withKey(key)))).toEqual([401, 'unauthorized']);
    expect((await api.post('/keys.revoke', { id: key.id }, system)).status).toBe(204);
    const { body } = await api.post<Page<ApiKeyJson>>('/keys.list', {}, system);
    expect(body.data[0]!.revoked_at).toBe('2026-01-01T00:00:00.000Z');
  });

  it('is refused with a letter changed', async () => {
    await using api = await closed();
    const { key } = await makeKey(api);
    const other = await makeKey(api);
    const swapped = key.slice(0, 40) + other.key.slice(40);
    const last = key.at(-1) === 'A' ? 'B' : 'A';
    for (const forged of [key.slice(0, -1) + last, swapped, key.slice(0, -1), `${key}A`, key.toUpperCase()]) {
      expect(refusalOf(await api.post('/channels.list', {}, withKey({ key: forged })))).toEqual([401, 'unauthorized']);
    }
  });

  it('is noted as used, once a minute at most', async () => {
    await using api = await closed();
    const key = await makeKey(api);
    const uses = () => api.sent.filter(({ type }) => type === 'api-key.note-use').length;
    for (let n = 0; n < 3; n++) await api.post('/channels.list', {}, withKey(key));
    expect(uses()).toBe(1);
    await api.system.settle();
    const { body } = await api.post<Page<ApiKeyJson>>('/keys.list', {}, system);
    expect(body.data[0]!.last_used_at).toBe('2026-01-01T00:00:00.000Z');
    api.system.clock.advance(60_000);
    for (let n = 0; n < 3; n++) await api.post('/channels.list', {}, withKey(key));
    expect(uses()).toBe(2);
  });

  it.each([
    [{ operations: [] }],
    [{ operations: ['/messages.send'] }],
    [{ operations: ['messages'] }],
    [{ operations: ['*.list'] }],
    [{ operations: ['*'], sources: [] }],
    [{ operations: ['*'], name: '' }],
  ])('is not made with %j', async (wrong) => {
    await using api = await closed();
    expect(refusalOf(await api.post('/keys.create', { name: 'CRM', ...wrong }, system))).toEqual([
      400,
      'invalid_request',
    ]);
  });

  it('that nobody made can not be revoked', async () => {
    await using api = await closed();
    const id = '0192f3a4-6c7d-7e8f-8a01-3456789abcde';
    expect(refusalOf(await api.post('/keys.revoke', { id }, system))).toEqual([404, 'not_found']);
  });

  it('is listed newest first, page by page', async () => {
    await using api = await closed();
    const ids: string[] = [];
    for (let n = 0; n < 5; n++) ids.unshift((await makeKey(api)).id);
    const first = await api.post<Page<ApiKeyJson>>('/keys.list', { page_size: 3 }, system);
    const cursor = first.body.pagination_data.next_cursor;
    await makeKey(api);
    const second = await api.post<Page<ApiKeyJson>>('/keys.list', { page_size: 3, cursor }, system);
    expect([...first.body.data, ...second.body.data].map(({ id }) => id)).toEqual(ids);
  });
});

describe('a key that is bound to a source', () => {
  /** Two sources with a conversation each, and a key for one of them. */
  async function shops(api: TestApi) {
    const [shop, other] = [await api.addSource('shop'), await api.addSource('other')];
    const ours = await shop.push('ann', 'hello');
    const foreign = await other.push('bob', 'hello');
    const key = await makeKey(api, { sources: ['shop'] });
    const ask = <T>(path: string, body: object = {}) => api.post<T>(path, body, withKey(key));
    return { shop, other, ours, foreign, ask };
  }

  it('lists what is of it, and counts no more', async () => {
    await using api = await closed();
    const { ours, shop, ask } = await shops(api);
    for (const filters of [undefined, '*:*', 'source:other OR unread_count:1']) {
      const { body } = await ask<Page<{ id: string }>>('/conversations.list', filters ? { filters } : {});
      expect(body.data.map(({ id }) => id)).toEqual([ours]);
      expect(body.pagination_data.total).toBe(1);
    }
    const channels = await ask<Page<{ id: string }>>('/channels.list');
    expect(channels.body.data.map(({ id }) => id)).toEqual([shop.channel]);
    const sources = await ask<Page<{ source_id: string }>>('/sources.list');
    expect(sources.body.data.map(({ source_id }) => source_id)).toEqual(['shop']);
  });

  it('reads of the feed what is of it, and goes on', async () => {
    await using api = await closed();
    const { ours, shop, ask } = await shops(api);
    interface Events {
      data: { subject: { id: string } }[];
      next_cursor: string;
    }
    const { body } = await ask<Events>('/events.list');
    expect(sorted([...new Set(body.data.map(({ subject }) => subject.id))])).toEqual(sorted([ours, shop.channel]));
    const rest = await api.post<Events>('/events.list', { after: body.next_cursor }, system);
    expect(rest.body.data).toEqual([]);
  });

  it('finds nothing of another source, and changes nothing', async () => {
    await using api = await closed();
    const { foreign, other, ask } = await shops(api);
    const { body } = await api.post<Page<{ id: string }>>('/messages.list', { conversation_id: foreign }, system);
    const message_id = body.data[0]!.id;
    const before = await api.post('/conversations.info', { conversation_id: foreign }, system);
    const attempts: [path: string, body: object][] = [
      ['/conversations.info', { conversation_id: foreign }],
      ['/conversations.mark-read', { conversation_id: foreign }],
      ['/conversations.set-state', { conversation_id: foreign, state: 'OPEN' }],
      ['/conversations.remove-state', { conversation_id: foreign, state: 'OPEN' }],
      ['/conversations.update-contact', { conversation_id: foreign, display_name: 'X' }],
      ['/messages.list', { conversation_id: foreign }],
      ['/messages.info', { message_id }],
      ['/messages.resend', { message_id }],
      ['/messages.suggest-replies', { message_id, suggestions: {} }],
      ['/messages.send', { conversation_id: foreign, message: { text: 'hi' } }],
      ['/messages.send', { channel_id: other.channel, source_recipient_id: 'eve', message: { text: 'hi' } }],
      ['/metadata.upsert', { subject: 'conversation', id: foreign, data: { a: 1 } }],
      ['/metadata.upsert', { subject: 'message', id: message_id, data: { a: 1 } }],
      ['/metadata.upsert', { subject: 'channel', id: other.channel, data: { a: 1 } }],
      ['/channels.info', { channel_id: other.channel }],
      ['/channels.update', { channel_id: other.channel, name: 'X' }],
    ];
    for (const [path, wish] of attempts) {
      expect([path, ...refusalOf(await ask<Refusal>(path, wish))]).toEqual([path, 404, 'not_found']);
    }
    expect((await api.post('/conversations.info', { conversation_id: foreign }, system)).body).toEqual(before.body);
  });

  it('works with what is of it', async () => {
    await using api = await closed();
    const { ours, shop, ask } = await shops(api);
    expect((await ask('/conversations.mark-read', { conversation_id: ours })).status).toBe(204);
    expect((await ask('/channels.update', { channel_id: shop.channel, name: 'Desk' })).status).toBe(200);
    expect((await ask('/messages.send', { conversation_id: ours, message: { text: 'hi' } })).status).toBe(200);
    const started = { channel_id: shop.channel, source_recipient_id: 'eve', message: { text: 'hi' } };
    expect((await ask('/messages.send', started)).status).toBe(200);
    const total = (await ask<Page<unknown>>('/messages.list', { conversation_id: ours })).body.pagination_data.total;
    expect(total).toBe(2);
  });

  it('waits for no conversation that may be of another source', async () => {
    await using api = await closed();
    const { ask } = await shops(api);
    const unknown = { conversation_id: '00000000-0000-4000-8000-000000000000', message: { text: 'hi' } };
    expect(refusalOf(await ask<Refusal>('/messages.send', unknown))).toEqual([404, 'not_found']);
  });
});

import { describe, expect, it } from 'vitest';
import type { AuditEntryJson, ApiKeyJson } from '#actors/representation.ts';
import { refusalOf, startApi, type TestApi } from '../_support/api.ts';
import { systemToken, testConfig } from '../_support/config.ts';

type Audit = { data: AuditEntryJson[]; next_cursor: string | null };

const system = { Authorization: `Bearer ${systemToken}` };
const closed = () => startApi({ config: testConfig({ authentication: true }) });
const ask = async (api: TestApi, body: object = {}): Promise<Audit> =>
  (await api.post<Audit>('/audit.list', body, system)).body;

describe('/audit.list', () => {
  it('says who asked whom for what, with which request', async () => {
    await using api = await closed();
    const shop = await api.addSource('shop');
    const conversation = await shop.push('ann', 'hello');
    const key = await api.post<ApiKeyJson & { key: string }>(
      '/keys.create',
      { name: 'CRM', operations: ['*'] },
      system,
    );
    const headers = { Authorization: key.body.key, 'X-Request-Id': 'req-1' };
    await api.post('/messages.send', { conversation_id: conversation, message: { text: 'hi' } }, headers);
    const { data } = await ask(api, { actor: { kind: 'conversation', id: conversation } });
    expect(data).toEqual([
      {
        ...{ at: '2026-01-01T00:00:00.000Z', by: { kind: 'key', id: key.body.id }, request_id: 'req-1' },
        ...{ actor: { kind: 'conversation', id: conversation }, type: 'message.send' },
        ...{ command_id: expect.any(String), events: ['message.created', 'conversation.updated'] },
      },
      expect.objectContaining({ by: { kind: 'source', id: 'shop' }, type: 'messages.ingest' }),
    ]);
  });

  it('finds all that somebody asked for', async () => {
    await using api = await closed();
    await (await api.addSource('shop')).push('ann', 'hello');
    await (await api.addSource('shop 2')).push('ann', 'hello');
    const typesBy = async (by: object) => (await ask(api, { by })).data.map(({ type }) => type);
    expect(await typesBy({ kind: 'source', id: 'shop' })).toEqual(['messages.ingest', 'channel.connect']);
    expect(await typesBy({ kind: 'source' })).toHaveLength(4);
    const [{ by }] = (await ask(api, { by: { kind: 'agent' } })).data as [AuditEntryJson];
    expect(by.id).toMatch(/^system-token-/);
    expect(await typesBy(by)).toEqual(['source.create', 'source.create']);
    expect(await typesBy({ kind: 'source', id: 'sho' })).toEqual([]);
  });

  it('names the command that an actor was told something by', async () => {
    await using api = await closed();
    const shop = await api.addSource('shop');
    api.startDispatch();
    await api.post('/sources.delete', { source_id: 'shop' }, system);
    const told = async () => (await ask(api, { actor: { kind: 'channel', id: shop.channel } })).data[0]!;
    await expect.poll(async () => (await told()).type).toBe('channel.disconnect');
    const deleted = (await ask(api, { by: { kind: 'agent' } })).data.find(({ type }) => type === 'source.delete')!;
    expect((await told()).by).toEqual({ kind: 'command', id: deleted.command_id });
  });

  it('has refusals, with their code', async () => {
    await using api = await closed();
    await api.addSource('shop');
    await api.post('/sources.create', { source_id: 'shop' }, { ...system, 'X-Request-Id': 'again' });
    const [refused] = (await ask(api)).data;
    expect(refused).toMatchObject({ actor: { kind: 'source' }, request_id: 'again', refused: 'source_exists' });
  });

  it('goes on page by page to the first turn, each once', async () => {
    await using api = await closed();
    const shop = await api.addSource('shop');
    for (let n = 0; n < 5; n++) await shop.push('ann', `text ${n}`);
    const whole = (await ask(api, { page_size: 1_000 })).data.map(({ command_id }) => command_id);
    for (const filter of [{}, { by: { kind: 'source' } }, { actor: { kind: 'conversation' } }]) {
      const met: string[] = [];
      let cursor: string | null = null;
      do {
        const page: Audit = await ask(api, { ...filter, page_size: 2, cursor });
        met.push(...page.data.map(({ command_id }) => command_id));
        cursor = page.next_cursor;
        await shop.push('bob', `text ${met.length}`);
      } while (cursor !== null);
      const all = (await ask(api, { ...filter, page_size: 1_000 })).data.map(({ command_id }) => command_id);
      expect(met).toEqual(all.slice(-met.length));
      expect(met.at(-1)).toBe(all.at(-1));
      expect(new Set(met).size).toBe(met.length);
    }
    expect(whole.length).toBe(7);
  });

  it('shows nothing of another actor, whatever the cursor says', async () => {
    await using api = await closed();
    const shop = await api.addSource('shop');
    const [ann, bob] = [await shop.push('ann', 'a'), await shop.push('bob', 'b')];
    await shop.push('bob', 'c');
    const foreign = await ask(api, { actor: { kind: 'conversation', id: bob }, page_size: 1 });
    const page = await ask(api, { actor: { kind: 'conversation', id: ann }, cursor: foreign.next_cursor });
    expect(page).toEqual({ data: [], next_cursor: null });
  });

  it.each([{ cursor: 'nonsense' }, { from: 'yesterday' }, { actor: {} }, { actor: { kind: 'x', id: '1' } }])(
    'refuses %j',
    async (body) => {
      await using api = await closed();
      const code = 'cursor' in body ? 'invalid_cursor' : 'invalid_request';
      expect(refusalOf(await api.post('/audit.list', body, system))).toEqual([400, code]);
    },
  );

  it('knows no actors of a kind that is none', async () => {
    await using api = await closed();
    await api.addSource('shop');
    const id = '0192f3a4-7d8e-7f90-8b02-456789abcdef';
    for (const actor of [{ kind: 'nothing' }, { kind: 'nothing', id }, { kind: 'conversation', id }]) {
      expect(await ask(api, { actor })).toEqual({ data: [], next_cursor: null });
    }
  });
});

import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { conversationId } from '#actors/ids.ts';
import { factories } from '#src/connectors/registry.ts';
import { startApi, type TestApi } from '../_support/api.ts';
import { until } from '../_support/source-client.ts';
import { lettersConnector, signatureOf } from './letters.ts';
import { box, letter } from './letters-specimen.ts';

const conversation_id = conversationId(box, 'ann');

async function start(): Promise<TestApi> {
  const api = await startApi({ connectors: [...factories, lettersConnector] });
  const channel = { source: 'letters', sourceChannelId: 'box-1', name: 'Box' };
  await api.commands.send('channel', box, 'channel.connect', channel);
  return api;
}

async function put(api: TestApi, content: object): Promise<number> {
  const body = JSON.stringify(content);
  return (await api.post('/letters', body, { 'X-Letters-Signature': signatureOf(body) })).status;
}

interface Listed {
  id: string;
  content: { text: string };
}

const listed = async (api: TestApi): Promise<Listed[]> =>
  (await api.post<{ data: Listed[] }>('/messages.list', { conversation_id })).body.data;
const texts = async (api: TestApi) => (await listed(api)).map(({ content }) => content.text);
const post = (n: number) => ({ post: [{ ...letter, id: `l-${n}`, at: letter.at + n, text: { text: `${n}` } }] });
const rawOf = async (api: TestApi, message_id: string): Promise<{ path: string; body: string }[]> =>
  (await api.post<{ data: { path: string; body: string }[] }>('/messages.raw', { message_id })).body.data;

describe('what a platform sent', () => {
  it('is shown as it came, with what it said later', async () => {
    await using api = await start();
    await put(api, { ...post(1), receipts: [] });
    await put(api, { receipts: [{ of: 'l-1', state: 'read' }] });
    await put(api, post(2));
    const [first] = await listed(api);
    const raw = await rawOf(api, first!.id);
    expect(raw.map(({ path, body }) => [path, JSON.parse(body)])).toEqual([
      ['/letters', post(1)],
      ['/letters', { receipts: [{ of: 'l-1', state: 'read' }] }],
    ]);
  });

  it('is one update each, however it came', async () => {
    await using api = await start();
    await put(api, { post: [...post(1).post, ...post(2).post] });
    const [, second] = await listed(api);
    expect((await rawOf(api, second!.id)).map(({ body }) => JSON.parse(body))).toEqual([post(2)]);
  });

  it('is forgotten after its time', async () => {
    await using api = await start();
    await put(api, post(1));
    const [first] = await listed(api);
    api.system.clock.set(8 * 86_400_000);
    await until('forgotten', async () => {
      api.system.clock.advance(10_000);
      return (await rawOf(api, first!.id)).length === 0;
    });
    expect(await texts(api)).toEqual(['1']);
  });

  it('goes with the person that it is of', async () => {
    await using api = await start();
    api.dispatch();
    await put(api, post(1));
    await put(api, { receipts: [{ of: 'l-1', state: 'read' }] });
    const [first] = await listed(api);
    const { body } = await api.post<{ data: { id: string }[] }>('/contacts.list');
    expect((await api.post('/contacts.erase', { id: body.data[0]!.id })).status).toBe(200);
    expect(await rawOf(api, first!.id)).toEqual([]);
    const folder = dirname(api.system.file);
    const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((file) =>
      file.name.startsWith('raw.db'),
    );
    const words = files.map((file) => readFileSync(join(file.parentPath, file.name), 'latin1'));
    expect(words.filter((text) => /"text":"1"|"receipts"/.test(text))).toEqual([]);
    api.system.clock.advance(1);
    await put(api, post(2));
    const second = (await listed(api)).find(({ content }) => content.text === '2');
    expect(await rawOf(api, second!.id)).toHaveLength(1);
  });

  it('is counted, also where nobody understands it', async () => {
    await using api = await start();
    await put(api, { parcels: [] });
    await put(api, post(1));
    const shown = await api.metrics.registry.metrics();
    expect(shown).toContain('parley_inbound_updates_total{inbound="/letters",outcome="not_understood"} 1');
    expect(shown).toContain('parley_inbound_updates_total{inbound="/letters",outcome="taken"} 1');
  });
});

describe('while the actors are away', () => {
  /** Has every answer of the host lost, until it is told otherwise. */
  const away = (api: TestApi) => {
    api.system.bus.down = true;
    return () => {
      api.system.bus.down = false;
    };
  };

  it('what comes is put aside, and taken in later in order', async () => {
    await using api = await start();
    await put(api, post(1));
    const back = away(api);
    const answers = [2, 3].map((n) => put(api, post(n)));
    await until('put aside', () => {
      api.system.clock.advance(100);
      return api.services.raw.waiting === 2;
    });
    expect(await Promise.all(answers)).toEqual([200, 200]);
    expect(await put(api, post(4))).toBe(200);
    expect(api.services.raw.waiting).toBe(3);
    back();
    await until('taken in', async () => {
      api.system.clock.advance(500);
      return api.services.raw.waiting === 0;
    });
    expect(await texts(api)).toEqual(['1', '2', '3', '4']);
    const fourth = (await listed(api))[3]!;
    expect((await rawOf(api, fourth.id)).map(({ body }) => JSON.parse(body))).toEqual([post(4)]);
  });
});

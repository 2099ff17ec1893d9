import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { channelId } from '#actors/ids.ts';
import { Secret } from '#src/config/config.ts';
import { accountForm, type LinkOutcome } from '#src/connectors/accounts.ts';
import { accountOperations } from '#src/http/channels/accounts.ts';
import { operations } from '#src/http/operations.ts';
import { answering, type Refusal, refusalOf, startApi, type TestApi } from '../_support/api.ts';
import { testConfig } from '../_support/config.ts';

const token = 'a-token-of-the-post-office';

/** Boxes of a post office. What it says of a connect follows from the status with which it answers. */
const form = accountForm({
  source: 'letters',
  component: 'telco',
  request: z.object({ box: z.string().min(1), key: z.string().min(1) }),
  example: { box: 'box-1', key: 'k' },
  async connect({ box, key }, { http }): Promise<LinkOutcome> {
    const result = await http.send({ url: 'https://letters.example/open', headers: {}, body: key });
    if (result.kind !== 'answered') return { kind: 'unreachable', error: 'The post office is closed.' };
    if (result.status !== 200) return { kind: 'rejected', error: 'The key does not fit.' };
    return { kind: 'linked', sourceChannelId: box, token: key, imageUrl: 'https://letters.example/box.png' };
  },
  async disconnect({ token: key }, { http }) {
    await http.send({ url: `https://letters.example/close?${key}`, headers: {} });
  },
  explore: {
    id: 'box_id',
    async find() {
      return {
        kind: 'found',
        accounts: [
          { id: 'box-1', name: 'First', imageUrl: null },
          { id: 'box-2', name: 'Second', imageUrl: 'https://letters.example/2.png' },
        ],
      };
    },
  },
});

interface Post {
  status: number | null;
  calls: string[];
}

async function start(post: Post = { status: 200, calls: [] }, isOn = true): Promise<TestApi> {
  const telco = { accountSid: 'a', authToken: new Secret('t'), apiBase: 'https://letters.example' };
  const config = { ...testConfig(), components: { sources: isOn ? { telco } : {} } };
  const client = {
    async send(request: { url: string }) {
      post.calls.push(request.url);
      if (post.status === null) return { kind: 'failed', reason: 'timeout', durationMs: 1 } as const;
      return answering(post.status, {}).send({ url: '', headers: {} });
    },
    close: async () => {},
  };
  return startApi({ config, client, operations: [...operations, ...accountOperations(form)] });
}

const box = { box: 'box-1', key: token, name: 'Post' };
const shown = {
  ...{ id: channelId('letters', 'box-1'), source: 'letters', source_channel_id: 'box-1', connected: true },
  metadata: { name: 'Post', image_url: 'https://letters.example/box.png' },
};
const connect = (api: TestApi, body: object = box) => api.post<Refusal>('/channels.letters.connect', body);
const disconnect = (api: TestApi, channel_id = shown.id) => api.post('/channels.letters.disconnect', { channel_id });

describe('accounts of a source', () => {
  it('are connected with what the platform says of them', async () => {
    await using api = await start();
    const { status, body } = await connect(api);
    expect([status, body]).toEqual([200, shown]);
    expect(api.reader.channels.token(shown.id)).toBe(token);
    expect(JSON.stringify([api.lines, api.reader.channels.find(shown.id)])).not.toContain(token);
  });

  it('stay one channel when they are connected again', async () => {
    await using api = await start();
    await connect(api);
    await disconnect(api);
    const again = await connect(api, { ...box, name: 'New', image_url: 'https://shop.example/new.png' });
    const metadata = { name: 'New', image_url: 'https://shop.example/new.png' };
    expect(again.body).toEqual({ ...shown, metadata });
  });

  it('are not connected when the platform refuses, or is not there', async () => {
    const post: Post = { status: 401, calls: [] };
    await using api = await start(post);
    const rejected = await connect(api);
    expect([...refusalOf(rejected), rejected.body.error]).toEqual([400, 'source_rejected', 'The key does not fit.']);
    post.status = null;
    expect(refusalOf(await connect(api))).toEqual([502, 'source_unreachable']);
    expect(refusalOf(await connect(api, { box: 'box-1', name: 'Post' }))).toEqual([400, 'invalid_request']);
    expect(api.reader.channels.find(shown.id)).toBeNull();
  });

  it('need their component', async () => {
    await using api = await start({ status: 200, calls: [] }, false);
    expect(refusalOf(await connect(api))).toEqual([409, 'feature_disabled']);
  });

  it('are disconnected once, whatever the platform says', async () => {
    const post: Post = { status: 200, calls: [] };
    await using api = await start(post);
    await connect(api);
    post.status = null;
    expect([(await disconnect(api)).status, (await disconnect(api)).status]).toEqual([202, 202]);
    expect(post.calls).toEqual(['https://letters.example/open', `https://letters.example/close?${token}`]);
    expect(api.reader.channels.token(shown.id)).toBeNull();
    expect(api.reader.channels.find(shown.id)).toMatchObject({ connected: false });
  });

  it('are disconnected by their own operation only', async () => {
    await using api = await start();
    const shop = await api.post<{ id: string }>('/channels.chatplugin.connect', { name: 'shop' });
    const unknown = '0192f3a4-5b6c-7d8e-9f01-000000000000';
    for (const id of [unknown, shop.body.id].filter((each) => each !== undefined)) {
      expect(refusalOf(await api.post<Refusal>('/channels.letters.disconnect', { channel_id: id }))).toEqual([
        400,
        'channel_unknown',
      ]);
    }
  });

  it('can be listed by a token, with those that are connected', async () => {
    await using api = await start();
    await connect(api);
    const { body } = await api.post('/channels.letters.explore', { auth_token: token });
    expect(body).toEqual({
      data: [
        { name: 'First', box_id: 'box-1', connected: true },
        { name: 'Second', box_id: 'box-2', connected: false, image_url: 'https://letters.example/2.png' },
      ],
    });
  });
});

import { afterEach, describe, expect, it } from 'vitest';
import { channelId, conversationId, messageId } from '#actors/ids.ts';
import type { StoreReader } from '#actors/store-reader.ts';
import { Metrics } from '#src/metrics.ts';
import { createAuth } from '#src/security/auth.ts';
import { operations } from '#src/http/operations.ts';
import { createHttpServer } from '#src/http/server.ts';
import { sourceTokensOf } from '#src/security/source-token.ts';
import { systemToken, testConfig, testServices } from './_support.ts';

const issuedAt = 1_700_000_000;
const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const server of open.splice(0)) await server.close();
});

/** A hub with authentication on and the source `shop`, of which the channel `line-1` is connected, `line-2` is not. */
async function start() {
  const config = testConfig({ authentication: true });
  const { services, recorder } = testServices({ config, issued: new Map([['shop', issuedAt]]) });
  const connected = new Map([
    [channelId('shop', 'line-1'), true],
    [channelId('shop', 'line-2'), false],
    [channelId('other', 'line-3'), true],
  ]);
  const channels = {
    find: (id: string) => (connected.has(id) ? { id, connected: connected.get(id) } : null),
    list: () => [],
    token: () => null,
  };
  const server = createHttpServer(
    { ...services, store: { ...services.store, channels } as unknown as StoreReader },
    { auth: createAuth(services), metrics: new Metrics(), upgrades: { handleUpgrade: () => false } },
  );
  open.push(server);
  const { url } = await server.listen();
  const token = await sourceTokensOf(config).make({ sourceId: 'shop', issuedAt });
  const post = async (path: string, body: unknown, authorization?: string) => {
    const response = await fetch(url + path, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json', ...(authorization !== undefined && { authorization }) },
    });
    return { status: response.status, body: (await response.json()) as { code: string; details: { path: string }[] } };
  };
  return { post, token, recorder };
}

const item = (channel: string, n: number) => ({
  source_message_id: `m-${n}`,
  source_conversation_id: n % 2 === 0 ? 'ann' : 'bob',
  source_channel_id: channel,
  source_sender_id: 'ann',
  content: 'hi',
  from_contact: true,
  sent_at: n === 0 ? '2026-01-01T00:00:00Z' : Date.UTC(2026, 0, 1),
});

describe('every operation', () => {
  it('answers the failures of its scope', async () => {
    const { post, token } = await start();
    for (const { path, auth, example } of operations.filter(({ auth }) => auth !== 'public')) {
      const wrongKind = auth === 'core' ? token : systemToken;
      const cases = [
        [undefined, 401, 'unauthorized'],
        ['Bearer garbage', 401, 'unauthorized'],
        [`Bearer ${wrongKind}`, 403, 'forbidden'],
      ] as const;
      for (const [authorization, status, code] of cases) {
        const answer = await post(path, example, authorization);
        expect([path, answer.status, answer.body.code]).toEqual([path, status, code]);
      }
    }
  });
});

describe('/sources.webhook', () => {
  it('stores nothing when one channel is not usable', async () => {
    const { post, token, recorder } = await start();
    const messages = ['line-1', 'line-2', 'line-3', 'nowhere'].map(item);
    const { status, body } = await post('/sources.webhook', { messages }, token);
    expect([status, body.code]).toEqual([400, 'invalid_request']);
    expect(body.details.map(({ path }) => path)).toEqual([1, 2, 3].map((n) => `messages[${n}].source_channel_id`));
    expect(recorder.sent).toEqual([]);
  });

  it('sends one command for each conversation, in order', async () => {
    const { post, token, recorder } = await start();
    const { status } = await post('/sources.webhook', { messages: [0, 1, 2, 3].map((n) => item('line-1', n)) }, token);
    expect(status).toBe(200);
    const channel = channelId('shop', 'line-1');
    const expected = ['ann', 'bob'].map((name, first) => {
      const id = conversationId(channel, name);
      const messages = [first, first + 2].map((n) => ({ id: messageId(id, `m-${n}`), sentAt: Date.UTC(2026, 0, 1) }));
      return { kind: 'conversation', id, type: 'messages.ingest', body: { messages } };
    });
    expect(recorder.sent).toMatchObject(expected);
  });

  it('refuses times that are none', async () => {
    const { post, token } = await start();
    for (const sent_at of [-1, 8.64e15 + 1, '2026-02-30T00:00:00Z', 'now', null]) {
      const { status, body } = await post('/sources.webhook', { messages: [{ ...item('line-1', 1), sent_at }] }, token);
      expect([sent_at, status, body.details[0]?.path]).toEqual([sent_at, 400, 'messages[0].sent_at']);
    }
  });

  it('takes at most 1,000 messages', async () => {
    const { post, token, recorder } = await start();
    const messages = Array.from({ length: 1_001 }, (_, n) => item('line-1', n));
    expect((await post('/sources.webhook', { messages }, token)).status).toBe(400);
    expect(recorder.sent).toEqual([]);
  });
});

import { describe, expect, it } from 'vitest';
import { channelId, conversationId } from '#actors/ids.ts';
import type { Connector } from '#src/connectors/connector.ts';
import type { Inbound } from '#src/ingest/items.ts';
import { startApi, type TestApi } from '../_support/api.ts';

/** A connector that hands on what comes in, whatever it is. */
const sloppy = (): Connector => ({
  name: 'sloppy',
  sources: ['sloppy'],
  routes: [
    {
      method: 'POST',
      path: '/sloppy',
      bodyLimit: 100_000,
      verify: () => true,
      split: ({ body }) => [Buffer.from(body).toString()],
      read: (update) => ({ source: 'sloppy', ...(JSON.parse(update) as object) }) as Inbound,
    },
  ],
  deliver: async () => ({ kind: 'rejected', error: 'no' }),
});

const line = channelId('sloppy', 'line');
const conversation = conversationId(line, 'ann');

async function start(): Promise<TestApi> {
  const api = await startApi({ connectors: [sloppy] });
  const body = { source: 'sloppy', sourceChannelId: 'line', name: 'Line' };
  await api.commands.send('channel', line, 'channel.connect', body);
  return api;
}

const good = {
  id: 'm',
  conversation: 'ann',
  channel: 'line',
  sender: 'ann',
  content: 1,
  fromContact: true,
  sentAt: 1e12,
};
const said = { namespace: 'conversation', sourceId: 'ann', metadata: { mood: 'good' } };
const nothing = { messages: [], metadata: [], receipts: [] };

const put = (api: TestApi, inbound: object) => api.post('/sloppy', { ...nothing, ...inbound });
const warnings = (api: TestApi): unknown[] =>
  api.lines.filter(({ level }) => level === 'warn').map(({ event, fields }) => [event, fields['leftOut']]);

describe('of what a connector hands over', () => {
  it('a message that is none is left out, the others are stored', async () => {
    await using api = await start();
    const spoilt = [
      ...[{ id: 7 }, { id: '' }, { id: 'x'.repeat(256) }, { id: 'a\u0000b' }, { sender: null }, { conversation: {} }],
      ...[{ channel: ['line'] }, { content: undefined }, { fromContact: 'yes' }],
    ];
    const messages = [...spoilt.map((part, n) => ({ ...good, id: `m-${n}`, ...part })), good];
    expect((await put(api, { messages })).status).toBe(200);
    const { body } = await api.post<{ data: { content: unknown }[] }>('/messages.list', {
      conversation_id: conversation,
    });
    expect(body.data).toHaveLength(1);
    expect(warnings(api)).toEqual([['inbound.unusable_messages', spoilt.length]]);
  });

  it('metadata that is none is left out, and the rest is merged', async () => {
    await using api = await start();
    const spoilt = [
      ...[{ namespace: 'channel' }, { sourceId: 1 }, { sourceId: '' }, { channel: {} }, { conversation: '\n' }],
      ...[{ metadata: 'text' }, { metadata: null }, { metadata: [1] }, { metadata: { tags: { vip: '' } } }],
    ];
    const metadata = [...spoilt.map((part) => ({ ...said, ...part })), said];
    expect((await put(api, { messages: [good], metadata })).status).toBe(200);
    const shown = await api.post<{ metadata: object }>('/conversations.info', { conversation_id: conversation });
    expect(shown.body.metadata).toMatchObject({ mood: 'good' });
    expect(shown.body.metadata).not.toHaveProperty('tags');
    expect(warnings(api)).toEqual([['inbound.unusable_metadata', spoilt.length]]);
  });
});

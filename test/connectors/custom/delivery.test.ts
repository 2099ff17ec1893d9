import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { Delivery, RegisteredSource } from '#src/connectors/connector.ts';
import { deliver } from '#src/connectors/custom/delivery.ts';
import type { OutgoingResult } from '#src/outgoing/call.ts';
import type { OutgoingRequest } from '#src/outgoing/client.ts';

const registered: RegisteredSource = { sourceId: 'shop', actionEndpoint: 'https://shop.example/a', token: 'secret' };
const delivery: Delivery = {
  message: { id: 'm', content: { text: 'ä' }, sentAt: 1_767_225_600_123 },
  conversation: { id: 'c', sourceConversationId: 'ann', createdAt: '2026-01-01T00:00:00.000Z' },
  channel: {
    ...{ id: 'ch', source: 'shop', source_id: 'shop', source_channel_id: 'line' },
    ...{ metadata: {}, connected: true },
  },
  knownToSource: true,
  registered,
  token: null,
};

const noId = {
  left_out: 'What the source said of it: its source_message_id is no text of 1 to 255 visible characters.',
};

async function delivered(changes: Partial<Delivery> = {}, body = '{}') {
  const calls: OutgoingRequest[] = [];
  const answer: OutgoingResult = {
    ...{ kind: 'answered', status: 200, headers: {}, body },
    ...{ truncated: false, durationMs: 1 },
  };
  const send = async (request: OutgoingRequest) => {
    calls.push(request);
    return answer;
  };
  const outcome = await deliver({ ...delivery, ...changes }, { http: { send }, now: () => 0 });
  return { outcome, calls };
}

describe('a call to an action endpoint', () => {
  it('carries the message and its conversation', async () => {
    const { calls } = await delivered();
    expect(calls[0]).toMatchObject({ url: 'https://shop.example/a', timeoutMs: 10_000 });
    expect(JSON.parse(String(calls[0]!.body))).toEqual({
      type: 'message.send',
      payload: {
        channel: { id: 'ch', source_channel_id: 'line' },
        message: { id: 'm', source_recipient_id: 'ann', content: { text: 'ä' }, sent_at: '1767225600123' },
        conversation: {
          ...{ id: 'c', channel_id: 'ch', source_channel_id: 'line', source_conversation_id: 'ann' },
          created_at: '2026-01-01T00:00:00.000Z',
        },
      },
    });
  });

  it('names no conversation that the source has not heard of', async () => {
    const { calls } = await delivered({ knownToSource: false });
    const { payload } = JSON.parse(String(calls[0]!.body)) as { payload: object };
    expect(payload).not.toHaveProperty('conversation');
    expect(payload).toMatchObject({ channel: { id: 'ch', source_channel_id: 'line' } });
  });

  it('is signed over its exact bytes with the token', async () => {
    const { calls } = await delivered();
    const signature = createHmac('sha256', 'secret').update(String(calls[0]!.body), 'utf8').digest('hex');
    expect(calls[0]!.headers).toEqual({
      'Content-Type': 'application/json',
      'X-Service-Content-Signature': signature,
    });
  });

  it.each([null, { ...registered, actionEndpoint: null }])('is not made to nobody: %j', async (source) => {
    const { outcome, calls } = await delivered({ registered: source });
    expect(outcome).toEqual({
      kind: 'rejected',
      error: 'The source shop has no action_endpoint, so it can not send messages.',
    });
    expect(calls).toEqual([]);
  });

  it.each([
    ['{"metadata":{"a":1}}', null, { a: 1 }],
    ['{"source_message_id":null,"metadata":[1]}', null, {}],
    ['{"source_message_id":7,"metadata":{"a":1}}', null, { a: 1, ...noId }],
    ['{"source_message_id":""}', null, noId],
    [`{"source_message_id":"${'x'.repeat(256)}"}`, null, noId],
    ['{"source_message_id":"\\ud800"}', null, noId],
    ['done', null, {}],
  ])('may be answered with %s', async (body, sourceMessageId, metadata) => {
    expect((await delivered({}, body)).outcome).toEqual({ kind: 'succeeded', sourceMessageId, metadata });
  });
});

import { describe, expect, it } from 'vitest';
import type { Json } from '#actors/representation.ts';
import type { Delivery } from '#src/connectors/connector.ts';
import { bizmapsConnector } from '#src/connectors/bizmaps/connector.ts';
import { type Answer, accessToken, answering, bizMapsConfig, granted, tokenUri } from './platform.ts';

const content = { text: 'Hello', representative: { representativeType: 'HUMAN', displayName: 'Bo' } };
const deliveryOf = (said: Json = content): Delivery => ({
  message: { id: 'm-1', content: said, sentAt: 1_767_225_600_123 },
  conversation: { id: 'c', sourceConversationId: '3333/a', createdAt: '2026-01-01T00:00:00.000Z' },
  channel: {
    ...{ id: 'ch', source: 'bizmaps', source_channel_id: '2222', metadata: {}, connected: true },
  },
  ...{ knownToSource: true, registered: null, token: null },
});
const conversation = { sourceConversationId: '3333', channel: deliveryOf().channel, token: null };
const sent = [200, { name: 'conversations/3333/messages/m-1' }] as const;
const refusal = (code: number, status: string, message?: string) =>
  [code, { error: { code, status, message } }] as const;

/** What a connector with these answers comes to, after its token. */
function connector(...answers: Answer[]) {
  const { deliver, ...rest } = bizmapsConnector(bizMapsConfig())!;
  if (deliver === 'collected') throw new Error('It calls nobody.');
  return { ...rest, deliver, ...answering(...answers) };
}

describe('a message to the platform', () => {
  it('goes out with a token and our id of it', async () => {
    const { deliver, calls, tools } = connector(granted, sent);
    expect(await deliver(deliveryOf(), tools)).toEqual({ kind: 'succeeded', sourceMessageId: 'm-1', metadata: {} });
    expect(calls.map(({ url }) => url)).toEqual([
      tokenUri,
      'https://platform.example/v1/conversations/3333%2Fa/messages',
    ]);
    expect(calls[1]).toMatchObject({
      ...{ method: 'POST', timeoutMs: 6_000 },
      headers: { Authorization: `Bearer ${accessToken}`, 'Content-Type': 'application/json' },
    });
    expect(JSON.parse(String(calls[1]!.body))).toEqual({ ...content, messageId: 'm-1' });
  });

  it('needs no second token', async () => {
    const { deliver, calls, tools } = connector(granted, sent);
    await deliver(deliveryOf(), tools);
    await deliver(deliveryOf(), tools);
    expect(calls).toHaveLength(3);
  });

  it('keeps the digits of its numbers', async () => {
    const { deliver, calls, tools } = connector(granted, sent);
    await deliver(deliveryOf({ ...content, price: JSON.rawJSON('1.10') as unknown as Json }), tools);
    expect(String(calls[1]!.body)).toContain('"price":1.10');
  });

  it.each<[content: Json]>([
    ['Hello'],
    [null],
    [{}],
    [{ text: 'a' }],
    [{ text: 'a', representative: 'BOT' }],
    [{ text: 'a', representative: { displayName: 'Bo' } }],
    [{ text: 'a', representative: { representativeType: 'bot' } }],
  ])('is not sent without who writes it: %j', async (said) => {
    const { deliver, calls, tools } = connector(granted, sent);
    const error =
      'A message to this platform says who writes it: representative.representativeType must be BOT or HUMAN.';
    expect(await deliver(deliveryOf(said), tools)).toEqual({ kind: 'rejected', error });
    expect(calls).toEqual([]);
  });

  it.each<[what: string, answer: readonly [number, unknown], outcome: object]>([
    [
      'another id',
      [200, { name: 'conversations/3333/messages/m-2' }],
      { kind: 'succeeded', sourceMessageId: 'm-2', metadata: {} },
    ],
    ['no id', [200, {}], { kind: 'succeeded', sourceMessageId: 'm-1', metadata: {} }],
    [
      'that it has it already',
      refusal(409, 'ALREADY_EXISTS', 'Exists.'),
      { kind: 'succeeded', sourceMessageId: 'm-1', metadata: {} },
    ],
    ['that it is wrong', refusal(400, 'INVALID_ARGUMENT', 'Too long.'), { kind: 'rejected', error: 'Too long.' }],
    [
      'that there is no conversation',
      refusal(404, 'NOT_FOUND', 'Requested entity was not found.'),
      { kind: 'rejected', error: 'Requested entity was not found.' },
    ],
    [
      'no words',
      refusal(403, 'PERMISSION_DENIED'),
      { kind: 'rejected', error: 'The source answered with status 403.' },
    ],
    [
      'that it is too much',
      refusal(429, 'RESOURCE_EXHAUSTED', 'Quota.'),
      { kind: 'throttled', error: 'Quota.', retryAfter: 5_000 },
    ],
    [
      'that it is too much, otherwise',
      refusal(400, 'RESOURCE_EXHAUSTED'),
      { kind: 'throttled', error: 'The platform refused the call (RESOURCE_EXHAUSTED).', retryAfter: 5_000 },
    ],
    [
      'a fault',
      refusal(500, 'INTERNAL', 'Oops.'),
      { kind: 'unreachable', error: 'The source answered with status 500.' },
    ],
  ])('is answered with %s', async (_, answer, outcome) => {
    const { deliver, tools } = connector(granted, answer);
    expect(await deliver(deliveryOf(), tools)).toEqual(outcome);
  });

  it('whose token is not taken any more waits for another', async () => {
    const { deliver, calls, tools } = connector(granted, refusal(401, 'UNAUTHENTICATED', 'Expired.'), granted, sent);
    expect(await deliver(deliveryOf(), tools)).toEqual({ kind: 'throttled', error: 'Expired.', retryAfter: 5_000 });
    expect(await deliver(deliveryOf(), tools)).toMatchObject({ kind: 'succeeded' });
    expect(calls).toHaveLength(4);
  });

  it('is not sent without a token', async () => {
    const { deliver, calls, tools } = connector([401, { error: 'invalid_client' }]);
    const error = 'The service account is not let in: invalid_client';
    expect(await deliver(deliveryOf(), tools)).toEqual({ kind: 'rejected', error });
    expect(calls).toHaveLength(1);
  });
});

describe('what the contact sees of an agent', () => {
  it('is that somebody types', async () => {
    const { typing, calls, clock, tools } = connector(granted, [200, {}]);
    await typing!.notify(conversation, true, tools);
    await typing!.notify(conversation, false, tools);
    expect(calls[1]!.url).toBe(`https://platform.example/v1/conversations/3333/events?eventId=typing-${clock.now}`);
    const representative = { representativeType: 'HUMAN' };
    expect(calls.slice(1).map(({ body }) => JSON.parse(String(body)))).toEqual([
      { eventType: 'TYPING_STARTED', representative },
      { eventType: 'TYPING_STOPPED', representative },
    ]);
  });

  it('is that a message was read', async () => {
    const { readMarker, calls, tools } = connector(granted, [200, {}]);
    expect(await readMarker!.markRead(conversation, '44/44', tools)).toBe('done');
    const url = 'https://platform.example/v1/conversations/3333/messages/44%2F44/receipt';
    expect(calls[1]).toMatchObject({ method: 'PATCH', url, body: '{"receiptType":"READ"}' });
  });

  it.each<[outcome: string, answers: Answer[]]>([
    ['done', [granted, refusal(404, 'NOT_FOUND')]],
    ['done', [granted, { kind: 'refused', reason: 'address_not_allowed' }]],
    ['done', [refusal(400, 'INVALID_ARGUMENT')]],
    ['unreachable', [granted, [500, '']]],
    ['unreachable', [granted, [429, '']]],
    ['unreachable', [granted, { kind: 'failed', reason: 'timeout', durationMs: 1 }]],
    ['unreachable', [[503, '']]],
  ])('of reading is %s with %j', async (outcome, answers) => {
    const { readMarker, tools } = connector(...answers);
    expect(await readMarker!.markRead(conversation, '4444', tools)).toBe(outcome);
  });
});

describe('an agent', () => {
  const [form] = bizmapsConnector.accounts;
  const connect = (agent_id: string, ...answers: Answer[]) => {
    const { calls, tools } = answering(...answers);
    return form!.connect({ agent_id }, { ...tools, config: bizMapsConfig() }).then((outcome) => ({ outcome, calls }));
  };

  it('is connected once the account is let in', async () => {
    const { outcome, calls } = await connect('2222', granted);
    expect(outcome).toEqual({ kind: 'linked', sourceChannelId: '2222', token: null });
    expect(calls.map(({ url }) => url)).toEqual([tokenUri]);
    expect((await connect('brands/1111/agents/2222', granted)).outcome).toMatchObject({ sourceChannelId: '2222' });
  });

  it.each<[answer: readonly [number, unknown], outcome: object]>([
    [
      [400, { error: 'invalid_grant' }],
      { kind: 'rejected', error: 'The service account is not let in: invalid_grant' },
    ],
    [[503, ''], { kind: 'unreachable', error: 'The source answered with status 503.' }],
    [[429, ''], { kind: 'unreachable', error: 'The source answered with status 429.' }],
  ])('is not connected with the answer %j', async (answer, outcome) => {
    expect((await connect('2222', answer)).outcome).toEqual(outcome);
  });

  it('is checked by a token each time', async () => {
    const { checker, calls, tools } = connector(granted);
    expect([await checker!.check(tools), await checker!.check(tools), calls.length]).toEqual([null, null, 2]);
    const { checker: refused, tools: others } = connector([401, '']);
    expect(await refused!.check(others)).toBe('The source answered with status 401.');
  });

  it('is nobody’s without a configuration', () => {
    expect(bizmapsConnector({ ...bizMapsConfig(), components: { sources: {} } })).toBeNull();
  });
});

describe('an image of a contact', () => {
  const { media } = bizmapsConnector(bizMapsConfig())!;
  const at = 'https://storage.googleapis.com/business-messages-us/1/2?x-goog-signature=a';

  it('is found in the text that is its address', async () => {
    expect(media!.locate({ text: at })).toEqual([{ name: 'image', at }]);
    expect(await media!.open({ name: 'image', at }, conversation, answering(granted).tools)).toEqual({
      url: at,
      headers: {},
    });
  });

  it.each<[content: Json]>([
    [{ text: `see ${at}` }],
    [{ text: 'https://storage.googleapis.com/others/1' }],
    [{ text: 'https://storage.googleapis.com.evil.example/business-messages-us/1' }],
    [{ text: 7 }],
    [null],
    [at],
  ])('is not %j', (content) => {
    expect(media!.locate(content)).toEqual([]);
  });
});

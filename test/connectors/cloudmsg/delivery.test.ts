import { describe, expect, it } from 'vitest';
import type { Json } from '#actors/representation.ts';
import type { Deliver, Delivery } from '#src/connectors/connector.ts';
import type { OutgoingResult } from '#src/outgoing/call.ts';
import { answered, calling, outOfReach, refusal, seen, token } from '../graph/platform.ts';
import { connector, contact, number } from './cases.ts';

async function sent(content: Json, result: OutgoingResult, changes: Partial<Delivery> = {}) {
  const { calls, tools } = calling(result);
  const delivery: Delivery = {
    message: { id: 'm', content, sentAt: 0 },
    conversation: { id: 'c', sourceConversationId: contact, createdAt: '2026-01-01T00:00:00.000Z' },
    channel: { id: 'ch', source: 'cloudmsg', source_channel_id: number, metadata: {}, connected: true },
    ...{ knownToSource: false, registered: null, token },
    ...changes,
  };
  return { outcome: await (connector().deliver as Deliver)(delivery, tools), calls };
}

const text = { type: 'text', text: { body: 'Hello' } };
const taken = answered(200, {
  messaging_product: 'whatsapp',
  messages: [{ id: 'wamid.1', message_status: 'accepted' }],
});
const envelope = { messaging_product: 'whatsapp', recipient_type: 'individual', to: contact };

describe('a message of a number', () => {
  it.each<[string, { [key: string]: Json }]>([
    ['text', text],
    ['a template', { type: 'template', template: { name: 'hello', language: { code: 'en' } } }],
    ['an answer', { ...text, context: { message_id: 'wamid.0' } }],
    ['what would go to somebody else', { ...text, to: '1', recipient_type: 'group' }],
  ])('goes out in the envelope: %s', async (_, content) => {
    const { calls } = await sent(content, taken);
    expect(calls.map(seen)).toEqual([['POST', `/${number}/messages`, { ...content, ...envelope }]]);
    expect(calls[0]).toMatchObject({ headers: { Authorization: `Bearer ${token}` }, timeoutMs: 10_000 });
  });

  it.each<[string, Json, Partial<Delivery>, string]>([
    ['without a token', text, { token: null }, 'The channel has no token of the platform: connect it again.'],
    [
      'that is no object',
      'Hello',
      {},
      'A message of the platform is an object, such as {"type":"text","text":{"body":"Hello"}}.',
    ],
  ])('is not sent: %s', async (_, content, changes, error) => {
    const { outcome, calls } = await sent(content, taken, changes);
    expect(outcome).toEqual({ kind: 'rejected', error });
    expect(calls).toEqual([]);
  });
});

const noId = { left_out: 'What the source said of it: its id is no text of 1 to 255 visible characters.' };
const pair = '(#131056) (Business Account, Consumer Account) pair rate limit hit';

describe('an answer of the cloud', () => {
  it.each<[string, OutgoingResult, object]>([
    ['an id', taken, { kind: 'succeeded', sourceMessageId: 'wamid.1', metadata: {} }],
    ['no id', answered(200, { messages: [] }), { kind: 'succeeded', sourceMessageId: null, metadata: noId }],
    ['too many for the number', refusal(130429, 'Rate limit hit'), { kind: 'throttled', retryAfter: 4_000 }],
    ['too many for the contact', refusal(131056, pair), { kind: 'throttled', error: pair, retryAfter: 16_000 }],
    ['too many for the business', refusal(80007, 'Rate limit'), { kind: 'throttled', retryAfter: 60_000 }],
    [
      'a closed window',
      refusal(131047, '(#131047) Re-engagement message', { error_data: { details: 'More than 24 hours.' } }),
      { kind: 'rejected', error: '(#131047) Re-engagement message: More than 24 hours.' },
    ],
    [
      'a parameter that is wrong',
      refusal(100, '(#100) Invalid parameter', { error_data: { details: 7 } }),
      { kind: 'rejected', error: '(#100) Invalid parameter' },
    ],
    ['a token that has ended', refusal(190, `Bad ${token}`), { kind: 'rejected', error: 'Bad [redacted]' }],
    ['an error of its own', answered(500, { error: { code: 131000, message: 'Oops' } }), { kind: 'unreachable' }],
    ['nothing', outOfReach, { kind: 'unreachable' }],
  ])('%s', async (_, result, outcome) => {
    expect((await sent(text, result)).outcome).toMatchObject(outcome);
  });
});

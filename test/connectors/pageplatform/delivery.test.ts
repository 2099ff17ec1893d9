import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { Json } from '#actors/representation.ts';
import type { Deliver, Delivery } from '#src/connectors/connector.ts';
import type { OutgoingResult } from '#src/outgoing/call.ts';
import { answered, appSecret, calling, outOfReach, refusal, token } from '../graph/platform.ts';
import { contact, page } from './page-cases.ts';
import { connector } from './updates.ts';

const delivery = (content: Json, changes: Partial<Delivery> = {}): Delivery => ({
  message: { id: 'm', content, sentAt: 0 },
  conversation: { id: 'c', sourceConversationId: contact, createdAt: '2026-01-01T00:00:00.000Z' },
  channel: { id: 'ch', source: 'pageplatform', source_channel_id: page, metadata: {}, connected: true },
  ...{ knownToSource: true, registered: null, token },
  ...changes,
});

async function sent(content: Json, result: OutgoingResult, changes: Partial<Delivery> = {}) {
  const { calls, tools } = calling(result);
  const outcome = await (connector().deliver as Deliver)(delivery(content, changes), tools);
  return { outcome, calls };
}

const taken = answered(200, { recipient_id: contact, message_id: 'm_sent' });

describe('a message of a page', () => {
  it('goes out with the token, and the proof that the app has it', async () => {
    const { calls } = await sent({ text: 'Hello' }, taken);
    const proof = createHmac('sha256', appSecret).update(token).digest('hex');
    expect(calls).toMatchObject([
      {
        method: 'POST',
        url: `https://graph.example/v23.0/me/messages?appsecret_proof=${proof}`,
        headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      },
    ]);
  });

  it.each<[string, Json, object]>([
    ['text', { text: 'Hello' }, { message: { text: 'Hello' } }],
    [
      'a purpose',
      { text: 'Shipped', messaging_type: 'MESSAGE_TAG', tag: 'POST_PURCHASE_UPDATE' },
      { messaging_type: 'MESSAGE_TAG', tag: 'POST_PURCHASE_UPDATE', message: { text: 'Shipped' } },
    ],
    ['a tag alone', { text: 'I', tag: 'HUMAN_AGENT' }, { tag: 'HUMAN_AGENT', message: { text: 'I' } }],
    ['what is no object', 'Hello', { message: 'Hello' }],
  ])('is enveloped: %s', async (_, content, enveloped) => {
    const { calls } = await sent(content, taken);
    expect(JSON.parse(String(calls[0]!.body))).toEqual({ recipient: { id: contact }, ...enveloped });
  });

  it('is not sent without a token', async () => {
    const { outcome, calls } = await sent({ text: 'Hello' }, taken, { token: null });
    expect(outcome).toEqual({
      ...{ kind: 'rejected', error: 'The channel has no token of the platform: connect it again.' },
    });
    expect(calls).toEqual([]);
  });
});

const throttled = (error: string, retryAfter: number) => ({ kind: 'throttled', error, retryAfter });
const rejected = (error: string) => ({ kind: 'rejected', error });
const succeeded = (sourceMessageId: string | null, metadata: object = {}) => ({
  ...{ kind: 'succeeded', sourceMessageId, metadata },
});
const noId = { left_out: 'What the source said of it: its message_id is no text of 1 to 255 visible characters.' };
const calm = '(#4) Application request limit reached';

describe('an answer of the platform', () => {
  it.each<[string, OutgoingResult, object]>([
    ['an id', taken, succeeded('m_sent')],
    ['an attachment', answered(200, { message_id: 'm_2', attachment_id: '9' }), succeeded('m_2')],
    ['no id', answered(200, {}), succeeded(null, noId)],
    ['an id that can be none', answered(200, { message_id: 7 }), succeeded(null, noId)],
    ['too many calls of the app', refusal(4, calm), throttled(calm, 60_000)],
    ['too many calls of the user', refusal(17, 'User'), throttled('User', 60_000)],
    ['too many calls of the page', refusal(32, 'Page'), throttled('Page', 60_000)],
    ['too many calls of a kind', refusal(613, 'Kind'), throttled('Kind', 10_000)],
    [
      'too many calls, without a word',
      answered(400, { error: { code: 613 } }),
      throttled('The platform gives no reason.', 10_000),
    ],
    [
      'too many calls, by its status',
      answered(429, '', { 'retry-after': '9' }),
      { kind: 'throttled', retryAfter: 9_000 },
    ],
    [
      'a refusal that will pass',
      refusal(2, 'Try later', { is_transient: true }),
      { kind: 'unreachable', error: 'Try later' },
    ],
    [
      'a token that is none',
      refusal(190, `Malformed access token ${token}`),
      rejected('Malformed access token [redacted]'),
    ],
    [
      'a closed window',
      refusal(10, '(#10) Outside of allowed window.', { error_subcode: 2018278 }),
      rejected('(#10) Outside of allowed window.'),
    ],
    ['nobody of that id', refusal(100, '(#100) No matching user found'), rejected('(#100) No matching user found')],
    ['a code that is text', answered(400, { error: { code: '4', message: 'Odd' } }), rejected('Odd')],
    ['no words', answered(403, { error: {} }), rejected('The source answered with status 403.')],
    ['an error of its own', answered(500, { error: { message: 'x', code: 2 } }), { kind: 'unreachable' }],
    ['nothing', outOfReach, { kind: 'unreachable' }],
  ])('%s', async (_, result, outcome) => {
    expect((await sent({ text: 'Hello' }, result)).outcome).toMatchObject(outcome);
  });

  const proof = createHmac('sha256', appSecret).update(token).digest('hex');
  it.each([
    `GET /me?access_token=${token}&limit=1 failed`,
    `GET /me?limit=1&access_token=of-another-account failed`,
    `Invalid appsecret_proof ${proof}`,
    `client_secret=${appSecret}`,
    `{"access_token":"of-another-account"}`,
    `https://graph.example/oauth?redirect=%3Faccess_token%3D${token}`,
    `Session of EAAGsomebodyElses0123456 has expired`,
  ])('tells no secret: %s', async (message) => {
    const { outcome } = await sent({ text: 'Hello' }, refusal(190, message));
    const { error } = outcome as { error: string };
    expect(error).toContain('[redacted]');
    expect(error).not.toMatch(/of-another-account|EAAG|the-secret/);
    expect(error).not.toContain(proof);
  });
});

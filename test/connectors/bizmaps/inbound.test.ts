import { describe, expect, it } from 'vitest';
import { readEvent } from '#src/connectors/bizmaps/inbound.ts';
import { type Inbound, timeUnknown } from '#src/ingest/items.ts';
import { context, envelope, message } from './platform.ts';

const place = { channel: '2222', conversation: '3333' };
const at = Date.UTC(2026, 0, 1) + 45;
const nothing = { messages: [], metadata: [], receipts: [] };
const without = (object: object, ...names: string[]): object =>
  Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name)));

const item = (content: object, changes = {}): Partial<Inbound> => ({
  messages: [
    {
      ...{ id: '4444', ...place, sender: '3333', content: content as never },
      fromContact: true,
      sentAt: at,
      ...changes,
    },
  ],
});
const named = (name: string): Inbound['metadata'] => [
  {
    ...{ namespace: 'conversation', sourceId: '3333', channel: '2222' },
    metadata: { contact: { display_name: name } },
  },
];
const kept = (name: string, changes: object): Case => {
  const content = { ...message, ...changes };
  return [name, { message: content }, item(content)];
};

type Case = [name: string, event: object, said: Partial<Inbound> | null];

const response = {
  message: 'conversations/3333/messages/m-1',
  postbackData: 'order-1',
  createTime: message.createTime,
  text: 'Yes',
  type: 'REPLY',
};
const postback = { payload: 'order-1', title: 'Yes', type: 'REPLY', message: 'm-1' };
const chosen = (content: object, said: object): Partial<Inbound> => ({
  ...item(content, { id: '123123123' }),
  metadata: [{ namespace: 'message', sourceId: '123123123', ...place, metadata: { postback: said as never } }],
});

const receipt = (receiptType: unknown, id = 'm-1') => ({
  ...{ receiptType, message: `conversations/3333/messages/${id}`, createTime: message.createTime },
});
const signal = (what: object): Partial<Inbound> => ({ signals: [{ ...place, ...what } as never] });
const authenticated = (said: object): Partial<Inbound> => ({
  metadata: [
    {
      ...{ namespace: 'conversation', sourceId: '3333', channel: '2222' },
      metadata: { authenticationResponse: { code: null, redirectUri: null, errorDetails: null, ...said } },
    },
  ],
});

const cases: Case[] = [
  ['a text', { message }, item(message)],
  kept('an empty text', { text: '' }),
  kept('emoji and lines', { text: 'a\r\n👋🏽' }),
  kept('an image, which is an address', { text: 'https://storage.googleapis.com/business-messages-us/1/2?a=b' }),
  kept('fields that nobody knows', { newField: { a: [1, null] } }),
  ['a name', { message, context }, { ...item(message), metadata: named('Ann') }],
  [
    'a name in spaces',
    { message, context: { userInfo: { displayName: ' Ann ' } } },
    { ...item(message), metadata: named('Ann') },
  ],
  ['no name', { message, context: { userInfo: { displayName: ' ' } } }, item(message)],
  ['a name that is none', { message, context: { userInfo: { displayName: 7 } } }, item(message)],
  ['a context that is none', { message, context: 'a' }, item(message)],
  ['an agent of its own id', { message, agent: null }, item(message, { channel: 'hello-world-bot' })],
  ['an agent without a brand', { message, agent: 'agents/2222' }, item(message)],
  ['no agent', { message, agent: 'brands/1', customAgentId: '' }, null],
  ['no conversation', { message, conversationId: 3 }, null],
  ['an id in its name', { message: without(message, 'messageId') }, item(without(message, 'messageId'))],
  ['no id', { message: without(message, 'messageId', 'name') }, null],
  ['an id that can not be', { message: { ...message, messageId: 'a\u0000', name: 'a' } }, null],
  ['a message that is none', { message: 'Hello' }, null],
  [
    'a time without a fraction',
    { message: { ...message, createTime: '2026-01-01T00:00:00Z' } },
    item({ ...message, createTime: '2026-01-01T00:00:00Z' }, { sentAt: at - 45 }),
  ],
  [
    'the time of the call',
    { message: without(message, 'createTime') },
    item(without(message, 'createTime'), { sentAt: at + 1_000 }),
  ],
  [
    'no time',
    { message: { ...message, createTime: 'soon' }, sendTime: 7 },
    item({ ...message, createTime: 'soon' }, { sentAt: timeUnknown }),
  ],
  [
    'a time of long ago',
    { message: { ...message, createTime: '1970-01-01T00:00:00Z' }, sendTime: null },
    item({ ...message, createTime: '1970-01-01T00:00:00Z' }, { sentAt: timeUnknown }),
  ],
  ['a suggestion that was chosen', { suggestionResponse: response }, chosen(response, postback)],
  [
    'an action',
    { suggestionResponse: { ...response, type: 'ACTION' } },
    chosen({ ...response, type: 'ACTION' }, { ...postback, type: 'ACTION' }),
  ],
  [
    'a suggestion without its data',
    { suggestionResponse: without(response, 'postbackData', 'type') },
    chosen(without(response, 'postbackData', 'type'), { title: 'Yes', message: 'm-1' }),
  ],
  [
    'a suggestion of an odd message',
    { suggestionResponse: { ...response, message: 'm' } },
    chosen({ ...response, message: 'm' }, { ...postback, message: 'm' }),
  ],
  ['a suggestion without an id', { suggestionResponse: response, requestId: null }, null],
  [
    'a receipt',
    { receipts: { receipts: [receipt('DELIVERED')] } },
    { receipts: [{ message: 'm-1', state: 'delivered' }] },
  ],
  [
    'a receipt of reading',
    { receipts: { receipts: [receipt('READ')], createTime: 'x' } },
    { receipts: [{ message: 'm-1', state: 'read' }] },
  ],
  [
    'several receipts',
    { receipts: { receipts: [receipt('READ'), receipt('DELIVERED', 'm-2')] } },
    {
      receipts: [
        { message: 'm-1', state: 'read' },
        { message: 'm-2', state: 'delivered' },
      ],
    },
  ],
  [
    'an odd receipt beside another',
    { receipts: { receipts: [null, 7, receipt(7), receipt('a b'), receipt('READ', ''), receipt('READ')] } },
    { receipts: [{ message: 'm-1', state: 'read' }] },
  ],
  ['a list of receipts', { receipts: [receipt('READ')] }, { receipts: [{ message: 'm-1', state: 'read' }] }],
  ['no receipts', { receipts: { receipts: [] } }, null],
  ['receipts that are none', { receipts: 'READ' }, null],
  [
    'typing',
    { userStatus: { isTyping: true, createTime: message.createTime } },
    signal({ kind: 'typing', typing: true }),
  ],
  ['typing, as text', { userStatus: { isTyping: 'true' } }, signal({ kind: 'typing', typing: true })],
  ['no typing', { userStatus: { isTyping: false } }, signal({ kind: 'typing', typing: false })],
  ['a wish for a person', { userStatus: { requestedLiveAgent: true } }, signal({ kind: 'agent-requested' })],
  ['no wish for a person', { userStatus: { requestedLiveAgent: false } }, null],
  ['a status of another kind', { userStatus: { isTyping: 1, newField: true } }, null],
  [
    'a login',
    { authenticationResponse: { code: 'c', redirectUri: 'https://a.example' } },
    authenticated({ code: 'c', redirectUri: 'https://a.example' }),
  ],
  [
    'a login that failed',
    { authenticationResponse: { errorDetails: { error: 'denied' } } },
    authenticated({ errorDetails: { error: 'denied' } }),
  ],
  ['a survey', { surveyResponse: { survey: 's', surveyQuestionId: 'q' } }, null],
  ['nothing', {}, null],
];

describe('bizmaps', () => {
  it('has twenty-five cases and more', () => {
    expect(new Set(cases.map(([name]) => name)).size).toBe(cases.length);
    expect(cases.length).toBeGreaterThanOrEqual(25);
  });

  it.each(cases)('reads %s', (_, event, said) => {
    const inbound = readEvent(JSON.stringify({ ...envelope, ...event }));
    expect(inbound).toEqual(said && { source: 'bizmaps', ...nothing, ...said });
  });

  it('keeps the digits of numbers', () => {
    const text = JSON.stringify({ ...envelope, message }).replace(
      '"text":"Hello hub"',
      '"price":12345678901234567890.10',
    );
    expect(JSON.stringify(readEvent(text)?.messages[0]?.content)).toContain('"price":12345678901234567890.10');
  });
});

import { describe, expect, it } from 'vitest';
import { readForm } from '#src/connectors/telco/inbound.ts';
import { type Inbound, timeUnknown } from '#src/ingest/items.ts';
import { chat, chatStatus, sms, smsStatus } from './platform.ts';

type Fields = Record<string, string>;
type Case = [name: string, form: Fields, said: Partial<Inbound> | null];

const readFields = (form: Fields): Inbound | null => readForm(new URLSearchParams(form).toString());
const nothing = { messages: [], metadata: [], receipts: [] };

/** The cases of one source, by a message and a receipt of its own. */
interface Samples {
  source: string;
  /** What stands before a number: on the wire, and in the hub. */
  wire: string;
  own: string;
  message: Fields;
  status: Fields;
}

const samples: Samples[] = [
  { source: 'telco.sms', wire: '', own: '', message: sms, status: smsStatus },
  { source: 'telco.cloudmsg', wire: 'whatsapp:', own: 'cloudmsg:', message: chat, status: chatStatus },
];

const without = (form: Fields, ...names: string[]): Fields =>
  Object.fromEntries(Object.entries(form).filter(([name]) => !names.includes(name)));

/** What both sources send. */
function casesOf({ wire, own, message, status }: Samples): Case[] {
  const place = { channel: `${own}+4930123456`, conversation: `${own}+491701234567` };
  const named: Inbound['metadata'] = message['ProfileName']
    ? [
        {
          ...{ namespace: 'conversation', sourceId: place.conversation, channel: place.channel },
          metadata: { contact: { display_name: 'Ann' } },
        },
      ]
    : [];
  const item = (content: Fields, changes = {}): Partial<Inbound> => ({
    messages: [
      {
        ...{ id: 'SM1', ...place, sender: place.conversation, content },
        ...{ fromContact: true, sentAt: timeUnknown, ...changes },
      },
    ],
    metadata: named,
  });
  const kept = (name: string, fields: Fields): Case => {
    const form = { ...message, ...fields };
    return [name, form, item(form)];
  };
  const state = (word: string): Case => [
    `the state ${word}`,
    { ...status, MessageStatus: word, SmsStatus: word },
    { receipts: [{ message: 'SM2', state: word }] },
  ];
  const early = (word: string): Case => [`the state ${word}`, { ...status, MessageStatus: word }, {}];
  const failed = (name: string, word: string, fields: Fields, error: string): Case => [
    name,
    { ...status, MessageStatus: word, ...fields },
    {
      metadata: [{ namespace: 'message', sourceId: 'SM2', metadata: { error } }],
      receipts: [{ message: 'SM2', state: word }],
    },
  ];
  const oldSid = { ...without(message, 'MessageSid', 'SmsMessageSid'), SmsSid: 'SM9' };
  return [
    kept('text', {}),
    kept('no text', { Body: '' }),
    kept('text of several lines, with emoji', { Body: 'a\r\nb 👋🏽' }),
    kept('text with signs of forms', { Body: 'a=b&c+d%20' }),
    kept('an image', {
      NumMedia: '1',
      MediaUrl0: 'https://api.example/ME1',
      MediaContentType0: 'image/jpeg',
      Body: '',
    }),
    kept('two files', {
      NumMedia: '2',
      ...{ MediaUrl0: 'https://api.example/ME1', MediaContentType0: 'image/png' },
      ...{ MediaUrl1: 'https://api.example/ME2', MediaContentType1: 'text/vcard' },
    }),
    kept('more files than addresses', { NumMedia: '3' }),
    kept('a field that nobody knows', { NewField: '{"a":1}' }),
    kept('a field named like an own word', { __proto__x: '1', constructor: 'a' }),
    kept('no state', without({ ...message, SmsStatus: '' }, 'SmsStatus')),
    kept('a state that can not be', { SmsStatus: 'x'.repeat(300) }),
    kept('a message of a messaging service', { MessagingServiceSid: 'MG1' }),
    ['an older name of its id', oldSid, item(oldSid, { id: 'SM9' })],
    ...['sent', 'delivered', 'read'].map(state),
    ...['accepted', 'scheduled', 'queued', 'sending'].map(early),
    [
      'a receipt with the older name of its state',
      without(status, 'MessageStatus'),
      { receipts: [{ message: 'SM2', state: 'delivered' }] },
    ],
    failed('a failure with its text', 'failed', { ErrorCode: '30005', ErrorMessage: 'Gone' }, 'Gone (30005)'),
    failed('a failure with its code', 'undelivered', { ErrorCode: '30003' }, 'The handset can not be reached (30003)'),
    failed(
      'a failure of an unknown code',
      'failed',
      { ErrorCode: '99999' },
      'The platform could not deliver the message (99999)',
    ),
    failed('a failure without a code', 'failed', {}, 'The platform could not deliver the message'),
    failed('a message that was canceled', 'canceled', { ErrorCode: '0', ErrorMessage: 'Canceled' }, 'Canceled'),
    ['a state that nobody knows', { ...status, MessageStatus: 'partially_delivered' }, null],
    ['a state that is no word', { ...status, MessageStatus: 'a b\u0000' }, null],
    ['no id', without(message, 'MessageSid', 'SmsMessageSid', 'SmsSid'), null],
    ['an id that can not be', { ...message, MessageSid: 'a\u0000b' }, null],
    ['no sender', without(message, 'From'), null],
    ['no recipient', without(message, 'To'), null],
    ['a sender without a number', { ...message, From: wire }, null],
    ['an address of something else', { ...message, From: 'messenger:1', To: 'messenger:2' }, null],
    ['numbers of two kinds', { ...message, From: `${wire === '' ? 'whatsapp:' : ''}+491701234567` }, null],
    [
      'a call of another kind',
      { CallSid: 'CA1', From: message['From']!, To: message['To']!, CallStatus: 'ringing' },
      null,
    ],
  ];
}

describe.each(samples)('$source', (sample) => {
  const cases = casesOf(sample);

  it('has twenty-five cases and more', () => {
    expect(new Set(cases.map(([name]) => name)).size).toBe(cases.length);
    expect(cases.length).toBeGreaterThanOrEqual(25);
  });

  it.each(cases)('reads %s', (_, form, said) => {
    expect(readFields(form)).toEqual(said && { source: sample.source, ...nothing, ...said });
  });
});

const place = { channel: 'cloudmsg:+4930123456', conversation: 'cloudmsg:+491701234567' };
const contentOf = (form: Fields) => readFields(form)?.messages[0]?.content;
const postbackOf = (form: Fields) => readFields(form)?.metadata.filter(({ namespace }) => namespace === 'message');

describe('chat', () => {
  it.each([
    ['a location', { MessageType: 'location', Latitude: '52.5', Longitude: '13.4', Address: 'Berlin', Label: 'Here' }],
    ['a contact card', { NumMedia: '1', MediaContentType0: 'text/vcard', MediaUrl0: 'https://api.example/ME1' }],
    ['a sticker', { MessageType: 'sticker', NumMedia: '1', MediaContentType0: 'image/webp' }],
    ['an answer to a message', { OriginalRepliedMessageSid: 'SM0', OriginalRepliedMessageSender: 'whatsapp:+49' }],
    ['a referral', { ReferralBody: 'Ad', ReferralHeadline: 'Sale', ReferralSourceId: '1', ReferralSourceType: 'ad' }],
    ['a forwarded message', { Forwarded: 'true', FrequentlyForwarded: 'true' }],
    ['metadata of the channel', { ChannelMetadata: '{"type":"whatsapp","data":{"context":{"ProfileName":"Ann"}}}' }],
  ])('keeps %s in its content', (_, fields) => {
    const form = { ...chat, ...fields };
    expect(contentOf(form)).toEqual(form);
  });

  it('knows what was sent with a button', () => {
    const button = { ...chat, MessageType: 'button', ButtonText: 'Yes', ButtonPayload: 'order-1' };
    const postback = { payload: 'order-1', title: 'Yes' };
    expect(postbackOf(button)).toEqual([{ namespace: 'message', sourceId: 'SM1', ...place, metadata: { postback } }]);
  });

  it('knows which line of a list was chosen', () => {
    expect(postbackOf({ ...chat, ListId: 'a', ListTitle: 'First' })).toMatchObject([
      { metadata: { postback: { payload: 'a', title: 'First' } } },
    ]);
    expect(postbackOf({ ...chat, ListId: 'a' })).toMatchObject([{ metadata: { postback: { payload: 'a' } } }]);
  });

  it('takes no name of spaces', () => {
    expect(readFields({ ...chat, ProfileName: '  ' })?.metadata).toEqual([]);
  });

  it('tells that a message came too late', () => {
    const late = { ...chatStatus, MessageStatus: 'failed', ErrorCode: '63016', EventType: 'FAILED' };
    const error = 'The contact wrote more than 24 hours ago, and this is no template (63016)';
    expect(readFields(late)?.metadata).toEqual([{ namespace: 'message', sourceId: 'SM2', metadata: { error } }]);
  });

  it('has the words of the channel for a failure', () => {
    const form = { ...chatStatus, MessageStatus: 'undelivered', ChannelStatusMessage: 'Blocked', ErrorCode: '63024' };
    expect(readFields(form)?.metadata[0]?.metadata).toEqual({ error: 'Blocked (63024)' });
  });
});

describe('text messages', () => {
  it('come from names and short codes too', () => {
    for (const From of ['ACME Shop', '12345', '+1', 'a@b']) {
      expect(readFields({ ...sms, From })?.messages[0]?.conversation).toBe(From);
    }
  });

  it('keep a field named __proto__', () => {
    const content = contentOf({ ...sms, ...JSON.parse('{"__proto__":"a"}') });
    expect(Object.entries(content as Fields)).toContainEqual(['__proto__', 'a']);
  });
});

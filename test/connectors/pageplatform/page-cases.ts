import type { Json } from '#actors/representation.ts';
import type { Inbound } from '#src/ingest/items.ts';

/** What happens with a page, and what the hub is to make of it. */
export type Case = readonly [title: string, event: object, said: Partial<Inbound>];

export const page = '108042';
export const contact = '5390013';
export const at = 1_767_225_600_123;
const iso = '2026-01-01T00:00:00.123Z';
const sides = { sender: { id: contact }, recipient: { id: page }, timestamp: at };
const place = { channel: page, conversation: contact };

const item = (id: string, content: Json) => ({
  ...{ id, content, ...place, sender: contact, fromContact: true, sentAt: at },
});
const written = (title: string, message: { mid: string } & Record<string, Json>): Case => [
  title,
  { ...sides, message },
  { messages: [item(message.mid, message)] },
];
const ofMessage = (sourceId: string, metadata: Record<string, Json>): Partial<Inbound> => ({
  metadata: [{ namespace: 'message', sourceId, ...place, metadata }],
});
const ofConversation = (metadata: Record<string, Json>): Partial<Inbound> => ({
  metadata: [{ namespace: 'conversation', sourceId: contact, channel: page, metadata }],
});
const ofFile = (type: string): Case =>
  written(`a file: ${type}`, {
    ...{ mid: `m_${type}`, attachments: [{ type, payload: { url: `https://cdn.example/${type}?oh=1&oe=2` } }] },
  });

export const pageCases: readonly Case[] = [
  written('text', { mid: 'm_1', text: 'Hello', nlp: { traits: { confidence: 0.5 } } }),
  written('text beyond ASCII', { mid: 'm_2', text: 'Grüße 👋🏽\r\n你好' }),
  ...['image', 'video', 'audio', 'file'].map(ofFile),
  written('a sticker', {
    mid: 'm_sticker',
    ...{ sticker_id: 369239263222822 },
    attachments: [{ type: 'image', payload: { url: 'https://cdn.example/like.png', sticker_id: 369239263222822 } }],
  }),
  written('a place', {
    mid: 'm_place',
    attachments: [
      {
        type: 'location',
        title: 'Here',
        payload: { coordinates: { lat: 52.52, long: 13.405 } },
        url: 'https://m.example',
      },
    ],
  }),
  written('a shared page', {
    ...{ mid: 'm_share', text: 'https://a.example' },
    attachments: [{ type: 'fallback', title: 'A', url: 'https://a.example', payload: { url: 'https://a.example' } }],
  }),
  written('an attachment that nobody knows', { mid: 'm_new', attachments: [{ type: 'hologram', payload: [1, null] }] }),
  written('a quick reply', { mid: 'm_quick', text: 'Red', quick_reply: { payload: 'COLOR_RED' } }),
  written('an answer to a message', { mid: 'm_answer', text: 'Yes', reply_to: { mid: 'm_1' } }),
  written('a message about a product', {
    ...{ mid: 'm_product', text: 'How much?' },
    referral: { product: { id: '77' }, source: 'SHOPS', type: 'OPEN_THREAD' },
  }),
  written('a message after an advertisement', {
    ...{ mid: 'm_ad', text: 'Hi' },
    referral: { ref: 'ad', ad_id: '6045246', source: 'ADS', type: 'OPEN_THREAD', ads_context_data: { ad_title: 'T' } },
  }),
  written('a command', { mid: 'm_command', text: '/flights', commands: [{ name: 'flights' }] }),
  [
    'a postback',
    { ...sides, postback: { mid: 'm_postback', title: 'Start', payload: 'GET_STARTED' } },
    {
      messages: [item('m_postback', { postback: { mid: 'm_postback', title: 'Start', payload: 'GET_STARTED' } })],
      ...ofMessage('m_postback', { postback: { mid: 'm_postback', title: 'Start', payload: 'GET_STARTED' } }),
    },
  ],
  [
    'a postback without an id',
    { ...sides, postback: { title: 'Menu', payload: 'MENU', referral: { ref: 'r', source: 'SHORTLINK' } } },
    {
      messages: [
        item(`postback:${contact}:${at}`, {
          postback: { title: 'Menu', payload: 'MENU', referral: { ref: 'r', source: 'SHORTLINK' } },
        }),
      ],
      ...ofMessage(`postback:${contact}:${at}`, {
        postback: { title: 'Menu', payload: 'MENU', referral: { ref: 'r', source: 'SHORTLINK' } },
      }),
    },
  ],
  [
    'an echo of another app',
    {
      ...{ sender: { id: page }, recipient: { id: contact }, timestamp: at },
      message: { is_echo: true, app_id: 1517776481860111, metadata: 'm', mid: 'm_echo', text: 'From the inbox' },
    },
    {
      messages: [
        {
          ...item('m_echo', {
            ...{ is_echo: true, app_id: 1517776481860111, metadata: 'm', mid: 'm_echo', text: 'From the inbox' },
          }),
          ...{ sender: page, fromContact: false },
        },
      ],
    },
  ],
  [
    'a reaction',
    { ...sides, reaction: { reaction: 'love', emoji: '❤', action: 'react', mid: 'm_1' } },
    ofMessage('m_1', { reaction: { emoji: '❤', sent_at: iso } }),
  ],
  [
    'a reaction without a picture',
    { ...sides, reaction: { reaction: 'other', action: 'react', mid: 'm_1' } },
    ofMessage('m_1', { reaction: { emoji: 'other', sent_at: iso } }),
  ],
  [
    'a reaction that is taken back',
    { ...sides, reaction: { reaction: 'love', emoji: '❤', action: 'unreact', mid: 'm_1' } },
    ofMessage('m_1', { reaction: null }),
  ],
  [
    'messages that were delivered',
    { ...sides, delivery: { mids: ['m_10', 'm_11'], watermark: at } },
    {
      receipts: ['m_10', 'm_11'].map((message) => ({ message, state: 'delivered' })),
      signals: [{ ...place, kind: 'reached', state: 'delivered', until: at }],
    },
  ],
  [
    'a watermark of delivery',
    { ...sides, delivery: { watermark: at, seq: 37 } },
    { signals: [{ ...place, kind: 'reached', state: 'delivered', until: at }] },
  ],
  [
    'a watermark of reading',
    { ...sides, read: { watermark: at } },
    { signals: [{ ...place, kind: 'reached', state: 'read', until: at }] },
  ],
  ['writing', { ...sides, sender_action: 'typing_on' }, { signals: [{ ...place, kind: 'typing', typing: true }] }],
  [
    'no more writing',
    { ...sides, sender_action: 'typing_off' },
    { signals: [{ ...place, kind: 'typing', typing: false }] },
  ],
  [
    'an edit',
    { ...sides, message_edit: { mid: 'm_1', text: 'Hello!', num_edit: 1 } },
    ofMessage('m_1', { edited: { text: 'Hello!', num_edit: 1, sent_at: iso } }),
  ],
  ['a deletion', { ...sides, message: { mid: 'm_1', is_deleted: true } }, ofMessage('m_1', { deleted: true })],
  [
    'a referral',
    { ...sides, referral: { ref: 'shop', source: 'SHORTLINK', type: 'OPEN_THREAD' } },
    ofConversation({ referral: { ref: 'shop', source: 'SHORTLINK', type: 'OPEN_THREAD' } }),
  ],
  [
    'an opt-in, without its token',
    { ...sides, optin: { type: 'notification_messages', payload: 'p', notification_messages_token: 'secret-1' } },
    ofConversation({ optin: { type: 'notification_messages', payload: 'p' } }),
  ],
  [
    'a conversation that is handed over',
    { ...sides, pass_thread_control: { new_owner_app_id: '123', metadata: 'why' } },
    ofConversation({ pass_thread_control: { new_owner_app_id: '123', metadata: 'why' } }),
  ],
  [
    'a conversation that is taken',
    { ...sides, take_thread_control: { previous_owner_app_id: '123' } },
    ofConversation({ take_thread_control: { previous_owner_app_id: '123' } }),
  ],
];

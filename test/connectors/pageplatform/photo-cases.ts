import type { Json } from '#actors/representation.ts';
import type { Inbound } from '#src/ingest/items.ts';
import type { Case } from './page-cases.ts';

export const account = '17841405';
export const photographer = '6000123';
const at = 1_767_225_600_456;
const iso = '2026-01-01T00:00:00.456Z';
const sides = { sender: { id: photographer }, recipient: { id: account }, timestamp: at };
const place = { channel: account, conversation: photographer };

const item = (id: string, content: Json) => ({
  ...{ id, content, ...place, sender: photographer, fromContact: true, sentAt: at },
});
const written = (title: string, message: { mid: string } & Record<string, Json>): Case => [
  title,
  { ...sides, message },
  { messages: [item(message.mid, message)] },
];
const ofMessage = (sourceId: string, metadata: Record<string, Json>): Partial<Inbound> => ({
  metadata: [{ namespace: 'message', sourceId, ...place, metadata }],
});
const ofFile = (type: string): Case =>
  written(`a file: ${type}`, {
    ...{ mid: `a_${type}`, attachments: [{ type, payload: { url: `https://lookaside.example/${type}` } }] },
  });
const quoted = 'aWdfZAG1faXRlbToxOklHTWVzc2FnZAUlE'.repeat(5);

export const photoCases: readonly Case[] = [
  written('text', { mid: quoted, text: 'Hello' }),
  written('text beyond ASCII', { mid: 'a_2', text: 'Schön 🌇' }),
  ...['image', 'video', 'audio', 'file', 'share', 'story_mention', 'ig_reel', 'reel', 'like_heart'].map(ofFile),
  written('several pictures', {
    mid: 'a_many',
    attachments: [1, 2, 3].map((n) => ({ type: 'image', payload: { url: `https://lookaside.example/${n}` } })),
  }),
  written('a share without an address', { mid: 'a_empty', attachments: [{ type: 'share', payload: {} }] }),
  written('an answer to a story', {
    ...{ mid: 'a_story', text: 'Wow' },
    reply_to: { story: { url: 'https://lookaside.example/story', id: '17' } },
  }),
  written('an answer to a message', { mid: 'a_answer', text: 'Yes', reply_to: { mid: 'a_2' } }),
  written('an answer to the account itself', {
    mid: 'a_self',
    text: 'Yes',
    reply_to: { mid: 'a_2', is_self_reply: true },
  }),
  written('a quick reply', { mid: 'a_quick', text: 'Red', quick_reply: { payload: 'RED' } }),
  written('a message after an advertisement', {
    ...{ mid: 'a_ad', text: 'Hi' },
    referral: {
      ref: 'r',
      ad_id: '60',
      source: 'ADS',
      type: 'OPEN_THREAD',
      ads_context_data: { photo_url: 'https://p.example' },
    },
  }),
  written('a message about a product', { mid: 'a_product', text: 'How much?', referral: { product: { id: '9' } } }),
  written('what the platform can not show', { mid: 'a_unsupported', is_unsupported: true }),
  ['a deletion', { ...sides, message: { mid: 'a_2', is_deleted: true } }, ofMessage('a_2', { deleted: true })],
  [
    'an echo',
    {
      ...{ sender: { id: account }, recipient: { id: photographer }, timestamp: at },
      message: { mid: 'a_echo', text: 'From the app', is_echo: true },
    },
    {
      messages: [
        {
          ...item('a_echo', { mid: 'a_echo', text: 'From the app', is_echo: true }),
          ...{ sender: account, fromContact: false },
        },
      ],
    },
  ],
  [
    'an echo that is deleted',
    {
      ...{ sender: { id: account }, recipient: { id: photographer }, timestamp: at },
      message: { mid: 'a_echo', is_deleted: true, is_echo: true },
    },
    ofMessage('a_echo', { deleted: true }),
  ],
  [
    'a postback',
    { ...sides, postback: { mid: 'a_postback', title: 'Prices?', payload: 'ICE_1' } },
    {
      messages: [item('a_postback', { postback: { mid: 'a_postback', title: 'Prices?', payload: 'ICE_1' } })],
      ...ofMessage('a_postback', { postback: { mid: 'a_postback', title: 'Prices?', payload: 'ICE_1' } }),
    },
  ],
  [
    'a reaction',
    { ...sides, reaction: { mid: 'a_2', action: 'react', reaction: 'love', emoji: '❤️' } },
    ofMessage('a_2', { reaction: { emoji: '❤️', sent_at: iso } }),
  ],
  [
    'a reaction that is taken back',
    { ...sides, reaction: { mid: 'a_2', action: 'unreact' } },
    ofMessage('a_2', { reaction: null }),
  ],
  ['a message that was read', { ...sides, read: { mid: 'a_9' } }, { receipts: [{ message: 'a_9', state: 'read' }] }],
  [
    'an edit',
    { ...sides, message_edit: { mid: 'a_2', text: 'Schöner', num_edit: 2 } },
    ofMessage('a_2', { edited: { text: 'Schöner', num_edit: 2, sent_at: iso } }),
  ],
  [
    'a referral',
    { ...sides, referral: { ref: 'link', source: 'IGME-SOURCE-LINK', type: 'OPEN_THREAD' } },
    {
      metadata: [
        {
          ...{ namespace: 'conversation', sourceId: photographer, channel: account },
          metadata: { referral: { ref: 'link', source: 'IGME-SOURCE-LINK', type: 'OPEN_THREAD' } },
        },
      ],
    },
  ],
];

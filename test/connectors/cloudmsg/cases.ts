import type { Json } from '#actors/representation.ts';
import { cloudmsgConnector } from '#src/connectors/cloudmsg/connector.ts';
import type { Connector } from '#src/connectors/connector.ts';
import type { Inbound, MetadataItem } from '#src/ingest/items.ts';
import { configured } from '../graph/platform.ts';

/** What stands in a change, and what the hub is to make of it. */
export type Case = readonly [title: string, value: object, said: Partial<Inbound>];

export const number = '106540352242922';
export const contact = '16505551234';
const wamid = (n: number | string): string => `wamid.HBgLMTY1MDU1NTEyMzQVAgASGBQzQ${n}==`;
const sent = { from: contact, timestamp: '1767225600' };
const at = 1_767_225_600_000;
const iso = '2026-01-01T00:00:00.000Z';
const place = { channel: number, conversation: contact };
const profile = { profile: { name: 'Sheena Nelson' }, wa_id: contact };
const named: MetadataItem = {
  ...{ namespace: 'conversation', sourceId: contact, channel: number },
  metadata: { contact: { display_name: 'Sheena Nelson' } },
};

const item = (message: { id: string } & Record<string, Json>) => ({
  ...{ id: message.id, content: message, ...place, sender: contact, fromContact: true, sentAt: at },
});
let count = 0;
const written = (title: string, type: string, more: Record<string, Json>): Case => {
  const message = { ...sent, id: wamid(count++), type, ...more };
  return [title, { contacts: [profile], messages: [message] }, { messages: [item(message)], metadata: [named] }];
};
const about = (title: string, type: string, more: Record<string, Json>, metadata: Record<string, Json>): Case => [
  title,
  { contacts: [profile], messages: [{ ...sent, id: wamid(count++), type, ...more }] },
  { metadata: [{ namespace: 'message', sourceId: wamid('target'), ...place, metadata }, named] },
];
const status = (state: string, more: object = {}): object => ({
  statuses: [{ id: wamid('sent'), status: state, timestamp: '1767225601', recipient_id: contact, ...more }],
});
const got = (state: string): Partial<Inbound> => ({ receipts: [{ message: wamid('sent'), state }] });
const failing = (title: string, errors: object[] | undefined, error: string): Case => [
  `a message that failed: ${title}`,
  status('failed', errors && { errors }),
  { ...got('failed'), metadata: [{ namespace: 'message', sourceId: wamid('sent'), metadata: { error } }] },
];
const file = (id: string, type: string): Record<string, Json> => ({ id, mime_type: type, sha256: 'QmFzZTY0' });

export const cases: readonly Case[] = [
  written('text', 'text', { text: { body: 'Hello' } }),
  written('text beyond ASCII', 'text', { text: { body: 'Grüße\r\n👋🏽 你好' } }),
  written('an image', 'image', { image: { ...file('275', 'image/jpeg'), caption: 'Look' } }),
  written('a video', 'video', { video: file('276', 'video/mp4') }),
  written('audio', 'audio', { audio: { ...file('277', 'audio/ogg; codecs=opus'), voice: true } }),
  written('a document', 'document', { document: { ...file('278', 'application/pdf'), filename: 'a.pdf' } }),
  written('a sticker', 'sticker', { sticker: { ...file('279', 'image/webp'), animated: false } }),
  written('a place', 'location', {
    location: { latitude: 52.5200066, longitude: 13.40495, name: 'Here', address: 'A 1' },
  }),
  written('contacts', 'contacts', {
    contacts: [{ name: { formatted_name: 'Bob', first_name: 'Bob' }, phones: [{ phone: '+1 650', wa_id: '1650' }] }],
  }),
  written('a button of a message', 'interactive', {
    interactive: { type: 'button_reply', button_reply: { id: 'yes', title: 'Yes' } },
    context: { from: '15550783881', id: wamid('asked') },
  }),
  written('a choice of a list', 'interactive', {
    interactive: { type: 'list_reply', list_reply: { id: 'p1', title: 'Express', description: 'Next day' } },
    context: { from: '15550783881', id: wamid('asked') },
  }),
  written('a form', 'interactive', {
    interactive: { type: 'nfm_reply', nfm_reply: { name: 'flow', body: 'Sent', response_json: '{"a":1}' } },
  }),
  written('a button of a template', 'button', {
    ...{ button: { payload: 'STOP', text: 'Stop' }, context: { from: '15550783881', id: wamid('template') } },
  }),
  written('an answer', 'text', { text: { body: 'Yes' }, context: { from: contact, id: wamid('asked') } }),
  written('what was forwarded', 'text', { text: { body: 'Look' }, context: { frequently_forwarded: true } }),
  written('a question about a product', 'text', {
    text: { body: 'How much?' },
    context: { from: '1', id: wamid('p'), referred_product: { catalog_id: '19', product_retailer_id: 'di9o' } },
  }),
  written('a message after an advertisement', 'text', {
    text: { body: 'Hi' },
    referral: { source_url: 'https://ad.example', source_type: 'ad', source_id: '12', ctwa_clid: 'c', headline: 'H' },
  }),
  written('an order', 'order', {
    order: {
      catalog_id: '19',
      product_items: [{ product_retailer_id: 'd', quantity: 2, item_price: 1.1, currency: 'EUR' }],
    },
  }),
  written('another number', 'system', {
    system: { body: 'Sheena changed from 1 to 2', wa_id: '16505555678', type: 'user_changed_number' },
  }),
  written('what the platform can not show', 'unsupported', {
    errors: [{ code: 131051, title: 'Message type unknown', error_data: { details: 'Not supported.' } }],
  }),
  written('a type that nobody knows', 'hologram', { hologram: [1, null, { deep: '1.10' }] }),
  about(
    'a reaction',
    'reaction',
    { reaction: { message_id: wamid('target'), emoji: '👍' } },
    { reaction: { emoji: '👍', sent_at: iso } },
  ),
  about('a reaction that is taken back', 'reaction', { reaction: { message_id: wamid('target') } }, { reaction: null }),
  about('an empty reaction', 'reaction', { reaction: { message_id: wamid('target'), emoji: '' } }, { reaction: null }),
  about(
    'an edit',
    'edit',
    { edit: { original_message_id: wamid('target'), message: { type: 'text', text: { body: 'Hello!' } } } },
    { edited: { type: 'text', text: { body: 'Hello!' }, sent_at: iso } },
  ),
  about('a deletion', 'revoke', { revoke: { original_message_id: wamid('target') } }, { deleted: true }),
  ...['sent', 'delivered', 'read', 'played'].map(
    (state): Case => [`a message that was ${state}`, status(state), got(state)],
  ),
  [
    'a status with its price',
    status('sent', {
      conversation: { id: 'c', expiration_timestamp: '1767312000', origin: { type: 'service' } },
      pricing: { billable: true, pricing_model: 'CBP', category: 'service' },
    }),
    got('sent'),
  ],
  failing(
    'the window is closed',
    [
      {
        ...{ code: 131047, title: 'Re-engagement message', message: 'Re-engagement message' },
        error_data: { details: 'More than 24 hours have passed.' },
        href: 'https://docs.example/errors',
      },
    ],
    'Re-engagement message (131047): More than 24 hours have passed.',
  ),
  failing('no details', [{ code: 131026, title: 'Message undeliverable' }], 'Message undeliverable (131026)'),
  failing('no errors', undefined, 'The platform could not deliver the message, and gives no reason.'),
  failing('a secret', [{ title: 'Bad token EAAGabcdefghijklmnop' }], 'Bad token [redacted]'),
  [
    'what the business wrote in its app',
    {
      message_echoes: [
        {
          ...{ from: '15550783881', to: contact, id: wamid('echo'), timestamp: 1_767_225_600 },
          ...{ type: 'text', text: { body: 'From the app' } },
        },
      ],
    },
    {
      messages: [
        {
          ...item({
            ...{ from: '15550783881', to: contact, id: wamid('echo'), timestamp: 1_767_225_600 },
            ...{ type: 'text', text: { body: 'From the app' } },
          }),
          ...{ sender: number, fromContact: false },
        },
      ],
    },
  ],
];

/** Changes as the platform sends them. */
export const update = (...values: object[]): object => ({
  object: 'whatsapp_business_account',
  entry: [
    {
      id: '102290129340398',
      changes: values.map((value) => ({
        field: 'messages',
        value: {
          ...{ messaging_product: 'whatsapp', ...value },
          metadata: { display_phone_number: '15550783881', phone_number_id: number },
        },
      })),
    },
  ],
});

export const connector = (): Connector => cloudmsgConnector(configured())!;

/** The route of updates. */
export const route = () => connector().routes.find(({ method }) => method === 'POST')!;

/** What nothing is said of besides. */
export const saying = (said: Partial<Inbound>): Inbound => ({
  ...{ source: 'cloudmsg', messages: [], metadata: [], receipts: [], signals: [] },
  ...said,
});

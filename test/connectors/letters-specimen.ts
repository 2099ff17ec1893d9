import { channelId } from '#actors/ids.ts';
import { lettersConnector, secret, signatureOf } from './letters.ts';
import { inboundIn, type Specimen } from './specimen.ts';

const at = Date.UTC(2026, 0, 1);
/** A letter as the platform writes it. */
export const letter = { id: 'l-1', box: 'box-1', from: 'ann', text: { text: 'Dear hub' }, at };
const item = {
  ...{ id: 'l-1', channel: 'box-1', conversation: 'ann', sender: 'ann', content: letter.text },
  ...{ fromContact: true, sentAt: at },
};
const nothing = { source: 'letters', messages: [], metadata: [], receipts: [] };
/** The channel of the tests. */
export const box = channelId('letters', 'box-1');

const posted = (content: unknown) => {
  const body = Buffer.from(JSON.stringify(content));
  const headers = { 'x-letters-signature': signatureOf(body) };
  return { method: 'POST', url: new URL('https://hub.example/letters'), headers, body };
};
const read = (content: unknown) => () => inboundIn(lettersConnector().routes[1]!, posted(content));

export const letters: Specimen = {
  factory: lettersConnector,
  channel: { id: box, source: 'letters', source_channel_id: 'box-1', metadata: {}, connected: true },
  registered: null,
  token: null,
  content: { text: 'Dear Ann' },
  onTheWire: '"text":{"text":"Dear Ann"}',
  accepted: { status: 201, body: '{"number":"n-1"}', sourceMessageId: 'n-1' },
  refused: { status: 400, body: '{"problem":"No stamp."}', error: 'No stamp.' },
  secrets: [secret],
  readings: [
    { title: 'a letter', read: read({ post: [letter] }), inbound: [{ ...nothing, messages: [item] }] },
    {
      title: 'a receipt',
      read: read({ receipts: [{ of: 'n-1', state: 'delivered' }] }),
      inbound: [{ ...nothing, receipts: [{ message: 'n-1', state: 'delivered' }] }],
    },
  ],
  genuine: [
    posted({ post: [letter] }),
    {
      method: 'GET',
      url: new URL(`https://hub.example/letters?token=${secret}&challenge=42`),
      headers: {},
      body: Buffer.alloc(0),
    },
  ],
};

import { test } from 'vitest';
import { type Circle, playCircle } from './circle.ts';

const circle: Circle = {
  source: 'cloudmsg',
  sourceChannelId: '200000000000001',
  written: { type: 'text', text: { body: 'Is the lamp in stock?' } },
  name: 'Ada Lovelace',
  reply: { type: 'text', text: { body: 'It is.' } },
  onTheWire: { messaging_product: 'whatsapp', to: '4915550004001', type: 'text', text: { body: 'It is.' } },
  lastReport: 'read',
};

test('the whole circle, from connect to disconnect', { timeout: 60_000 }, async () => {
  await playCircle(circle);
});

test('the same with doubled and reordered webhooks', { timeout: 60_000 }, async () => {
  await playCircle(circle, ['--duplicates', '--reorder']);
});

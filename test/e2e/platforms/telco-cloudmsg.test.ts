import { test } from 'vitest';
import { type Circle, playCircle } from './circle.ts';

const circle: Circle = {
  source: 'telco.cloudmsg',
  sourceChannelId: 'cloudmsg:+15550001001',
  written: { Body: 'Is the lamp in stock?' },
  name: 'Ada Lovelace',
  reply: { text: 'It is.' },
  onTheWire: { Body: 'It is.', To: 'whatsapp:+15550002001', From: 'whatsapp:+15550001001' },
  lastReport: 'read',
};

test('the whole circle, from connect to disconnect', { timeout: 60_000 }, async () => {
  await playCircle(circle);
});

test('the same with doubled and reordered webhooks', { timeout: 60_000 }, async () => {
  await playCircle(circle, ['--duplicates', '--reorder']);
});

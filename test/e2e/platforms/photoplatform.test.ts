import { test } from 'vitest';
import { type Circle, playCircle } from './circle.ts';

const circle: Circle = {
  source: 'photoplatform',
  sourceChannelId: '17841400000000001',
  written: { text: 'Is the lamp in stock?' },
  name: 'Ada Lovelace',
  reply: { text: 'It is.' },
  onTheWire: { recipient: { id: '7000000000000001' }, message: { text: 'It is.' } },
  lastReport: 'read',
  farewell: { method: 'DELETE', path: '/v23.0/100000000000001/subscribed_apps' },
};

test('the whole circle, from connect to disconnect', { timeout: 60_000 }, async () => {
  await playCircle(circle);
});

test('the same with doubled and reordered webhooks', { timeout: 60_000 }, async () => {
  await playCircle(circle, ['--duplicates', '--reorder']);
});

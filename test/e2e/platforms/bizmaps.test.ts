import { test } from 'vitest';
import { type Circle, playCircle } from './circle.ts';

const circle: Circle = {
  source: 'bizmaps',
  sourceChannelId: 'a9e0a9e0-0000-4000-8000-000000000001',
  written: { text: 'Is the lamp in stock?' },
  name: 'Ada Lovelace',
  reply: { text: 'It is.', representative: { representativeType: 'HUMAN' } },
  onTheWire: { text: 'It is.', representative: { representativeType: 'HUMAN' } },
  lastReport: 'read',
};

test('the whole circle, from connect to disconnect', { timeout: 60_000 }, async () => {
  await playCircle(circle);
});

test('the same with doubled and reordered webhooks', { timeout: 60_000 }, async () => {
  await playCircle(circle, ['--duplicates', '--reorder']);
});

import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { bundle } from '#web/chat-widget/build.ts';

/** Bytes, compressed: what a page that embeds the chat loads. */
const budget = 20_000;

it('builds a widget that pages can afford', async () => {
  const files = await bundle();
  expect([...files.keys()]).toEqual(['s.js', 'widget.mjs']);
  expect(gzipSync(files.get('s.js')!, { level: 9 }).length).toBeLessThanOrEqual(budget);
  expect(gzipSync(files.get('widget.mjs')!, { level: 9 }).length).toBeLessThanOrEqual(budget / 3);
});

import { describe, expect, it } from 'vitest';
import { forged, forgedHandshakes, odd } from '../graph/forgeries.ts';
import { posted, shaken } from '../graph/platform.ts';
import { page, pageCases } from './page-cases.ts';
import { photoCases } from './photo-cases.ts';
import { connector, ofPage, ofPhotos, routeAt } from './updates.ts';

const handshakeAt = (path: string) =>
  connector().routes.find((route) => route.method === 'GET' && route.path === path)!;

describe.each([
  ['/pageplatform', 'a page', ofPage(pageCases[0]![1])],
  ['/photoplatform', 'photos', ofPhotos(photoCases[0]![1])],
  ['/pageplatform', 'photos at the address of pages', ofPhotos(photoCases[0]![1])],
])('at %s, of %s', async (path, _, content) => {
  const { verify, split, read } = routeAt(path);
  const forgeries = await forged(path, content);

  it('there are many forgeries', () => {
    expect(new Set(forgeries.map(([title]) => title)).size).toBeGreaterThanOrEqual(100);
  });

  it.each(forgeries)('%s is refused', (_title, request) => {
    expect(verify(request)).toBe(false);
  });

  it.each(await odd(path, content))('%s is genuine, and read', (_title, request) => {
    expect(verify(request)).toBe(true);
    expect(split(request).flatMap((update) => read(update)?.messages ?? [])).toHaveLength(1);
  });
});

describe.each(['/pageplatform', '/photoplatform'])('the handshake at %s', (path) => {
  const { verify, answer } = handshakeAt(path);

  it('gives the challenge back', () => {
    expect(verify(shaken(path))).toBe(true);
    expect(answer!(shaken(path))).toEqual({ contentType: 'text/plain', body: '1158201444' });
  });

  it.each(forgedHandshakes(path))('with %s is refused', (_title, request) => {
    expect(verify(request)).toBe(false);
  });
});

it('the escaped form is one of text only', async () => {
  const content = `{"object":"page","entry":[{"id":"${page}","\ufffd":1}]}`;
  const genuine = await posted('/pageplatform', content, content.replace('\ufffd', '\\ufffd'));
  const { verify } = routeAt('/pageplatform');
  expect(verify(genuine)).toBe(true);
  const damaged = Buffer.from(
    Buffer.from(genuine.body).toString('latin1').replace('\u00ef\u00bf\u00bd', '\u00ff'),
    'latin1',
  );
  expect(damaged.toString()).toBe(content);
  expect(verify({ ...genuine, body: damaged })).toBe(false);
});

import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { type Refusal, startApi } from '../_support/api.ts';

const built = fileURLToPath(new URL('../../web/chat-widget/dist/', import.meta.url));

/** A file beside the widget's own, as a build makes them; gone with the test. */
function put(name: string, text: string): Disposable {
  mkdirSync(built, { recursive: true });
  writeFileSync(built + name, text);
  return { [Symbol.dispose]: () => rmSync(built + name, { force: true }) };
}

describe('what visitors load', () => {
  it.each([
    ['gzip, deflate, br', 'gzip'],
    ['br;q=1, gzip;q=0.5', 'gzip'],
    ['identity', null],
    ['gzip;q=0', null],
  ])('is compressed for who takes %s: %s', async (accepted, encoding) => {
    using _ = put('specimen-z.js', 'one '.repeat(1_000));
    await using api = await startApi();
    const asked = { headers: { 'Accept-Encoding': accepted } };
    const { headers, ...answer } = await fetch(`${api.url}/chatplugin/ui/specimen-z.js`, asked).then(async (got) => ({
      headers: got.headers,
      text: await got.text(),
    }));
    expect([headers.get('content-encoding'), answer.text]).toEqual([encoding, 'one '.repeat(1_000)]);
    expect(Number(headers.get('content-length'))).toBeLessThan(encoding === null ? 4_001 : 100);
    expect(headers.get('vary')).toContain('Accept-Encoding');
    const again = await fetch(`${api.url}/chatplugin/ui/specimen-z.js`, {
      headers: { ...asked.headers, 'If-None-Match': headers.get('etag')! },
    });
    expect(again.status).toBe(304);
  });

  it('is the file as it was built, and again when it is built anew', async () => {
    using _ = put('specimen-a.js', 'one');
    await using api = await startApi();
    const get = (query = '', headers = {}) => fetch(`${api.url}/chatplugin/ui/specimen-a.js${query}`, { headers });
    const first = await get();
    const { headers } = first;
    expect([first.status, await first.text(), headers.get('content-type')]).toEqual([
      200,
      'one',
      'text/javascript; charset=utf-8',
    ]);
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('access-control-allow-origin')).toBe('*');
    expect(headers.get('cross-origin-resource-policy')).toBe('cross-origin');
    expect(headers.get('cache-control')).toBe('public, max-age=300');
    const tag = headers.get('etag')!;
    expect((await get('', { 'If-None-Match': tag })).status).toBe(304);
    const named = await get(`?v=${tag.slice(1, -1)}`);
    expect(named.headers.get('cache-control')).toContain('immutable');
    using __ = put('specimen-a.js', 'two');
    const anew = await get(`?v=${tag.slice(1, -1)}`, { 'If-None-Match': tag });
    expect([anew.status, await anew.text(), anew.headers.get('cache-control')]).toEqual([
      200,
      'two',
      'public, max-age=300',
    ]);
  });

  it('is nothing that was not built, and says what builds it', async () => {
    await using api = await startApi();
    for (const name of ['none.js', 'none', '..%2fexample.html', '%2e%2e', '.hidden.js', 'specimen.exe']) {
      const answer = await fetch(`${api.url}/chatplugin/ui/${name}`);
      expect([name, answer.status]).toEqual([name, 404]);
      expect(((await answer.json()) as Refusal).code).toBe('not_found');
    }
    const { error } = (await (await fetch(`${api.url}/chatplugin/ui/none.js`)).json()) as Refusal;
    expect(error).toContain('npm run build:widget');
  });

  it('is a page to try it on, which runs no script of its own', async () => {
    await using api = await startApi();
    const answer = await fetch(`${api.url}/chatplugin/ui/example?channel_id=x`);
    const isThere = existsSync(fileURLToPath(new URL('../example.html', `file://${built}`)));
    expect(answer.status).toBe(isThere ? 200 : 404);
    if (!isThere) return;
    const policy = answer.headers.get('content-security-policy');
    expect(policy).toContain("script-src 'self';");
    expect(policy).not.toContain('unsafe');
  });
});

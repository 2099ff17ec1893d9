import { createHash, randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { refusalOf, startApi, type TestApi } from '../_support/api.ts';
import { systemToken, testConfig } from '../_support/config.ts';

const png = Buffer.from('89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c489', 'hex');
const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

function formOf(bytes: Uint8Array<ArrayBuffer>, name: string, field = 'file'): FormData {
  const form = new FormData();
  form.append(field, new Blob([bytes]), name);
  return form;
}

async function upload(api: TestApi, body: FormData | string, headers: Record<string, string> = {}) {
  const response = await fetch(`${api.url}/media.upload`, { method: 'POST', body, headers });
  const answer = (await response.json()) as { media_url: string; error: string; code: string };
  return { status: response.status, headers: response.headers, body: answer };
}

/** The address of a new file. */
async function uploaded(api: TestApi, bytes: Uint8Array<ArrayBuffer>, name: string): Promise<string> {
  const { status, body } = await upload(api, formOf(bytes, name));
  expect(status).toBe(200);
  return body.media_url;
}

const folderOf = (api: TestApi): string => join(dirname(api.system.file), 'media');

describe('media.upload', () => {
  it('keeps a file under the hash of its content', async () => {
    await using api = await startApi();
    const address = await uploaded(api, png, 'photo.png');
    expect(address).toBe(`${api.url}/media/${sha256(png)}.png`);
    const file = await fetch(address);
    expect(Buffer.from(await file.arrayBuffer())).toEqual(png);
    expect(file.headers.get('content-type')).toBe('image/png');
    expect(file.headers.get('content-disposition')).toBe("inline; filename*=UTF-8''photo.png");
    expect(file.headers.get('content-length')).toBe(String(png.length));
    expect(await uploaded(api, png, 'again.png')).toBe(address);
    expect(readdirSync(folderOf(api), { recursive: true }).filter((name) => String(name).length > 40)).toHaveLength(1);
  });

  it('names the public address where there is one', async () => {
    const config = testConfig();
    config.server.publicUrl = 'https://hub.example.org/';
    await using api = await startApi({ config });
    expect(await uploaded(api, png, 'a.png')).toBe(`https://hub.example.org/media/${sha256(png)}.png`);
  });

  it('takes the type from the content, never from the name', async () => {
    await using api = await startApi();
    const page = Buffer.from('<html><script>alert(1)</script></html>');
    const drawing = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>');
    for (const [bytes, name] of [
      [page, 'photo.png'],
      [drawing, 'drawing.svg'],
      [page, 'page.html'],
    ] as const) {
      const { headers } = await fetch(await uploaded(api, Buffer.concat([bytes, Buffer.from(name)]), name));
      expect(headers.get('content-type')).toBe('application/octet-stream');
      expect(headers.get('content-disposition')).toBe(`attachment; filename*=UTF-8''${name}`);
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('content-security-policy')).toBe("default-src 'none'; sandbox");
    }
  });

  it('serves names as they can be written in a header', async () => {
    await using api = await startApi();
    const { headers } = await fetch(await uploaded(api, Buffer.from('x'), '../../Übung "1"\u202e.txt'));
    expect(headers.get('content-disposition')).toBe("attachment; filename*=UTF-8''%C3%9Cbung%20%221%22.txt");
  });

  it('refuses what is larger than it may be, and keeps nothing', async () => {
    const config = testConfig();
    config.media.maxSize = 1_000;
    await using api = await startApi({ config });
    expect((await upload(api, formOf(randomBytes(1_000), 'a'))).status).toBe(200);
    const refused = await upload(api, formOf(randomBytes(1_001), 'b'));
    expect(refusalOf(refused)).toEqual([413, 'body_too_large']);
    expect(readdirSync(join(folderOf(api), 'arriving'))).toEqual([]);
  });

  it('refuses what there is no room for, and says which bound', async () => {
    const config = testConfig();
    config.media.maxTotal = 1_000;
    await using api = await startApi({ config });
    expect((await upload(api, formOf(randomBytes(900), 'a'))).status).toBe(200);
    const refused = await upload(api, formOf(randomBytes(101), 'b'));
    expect(refusalOf(refused)).toEqual([507, 'insufficient_storage']);
    expect(refused.body.error).toContain('media.maxTotal');
  });

  it('refuses types that are not taken', async () => {
    const config = testConfig();
    config.media.types = ['image/*'];
    await using api = await startApi({ config });
    expect((await upload(api, formOf(png, 'a.png'))).status).toBe(200);
    expect(refusalOf(await upload(api, formOf(Buffer.from('text'), 'a.png')))).toEqual([415, 'unsupported_media_type']);
  });

  it.each([
    ['JSON', '{}', { 'Content-Type': 'application/json' }, 415],
    ['a form without a boundary', 'x', { 'Content-Type': 'multipart/form-data' }, 415],
    ['a form without an end', '--a\r\nContent-D', { 'Content-Type': 'multipart/form-data; boundary=a' }, 400],
    ['an empty form', '--a--\r\n', { 'Content-Type': 'multipart/form-data; boundary=a' }, 400],
    ['another field', formOf(png, 'a.png', 'picture'), {}, 400],
  ] as const)('refuses %s', async (_, body, headers, status) => {
    await using api = await startApi();
    const answer = await upload(api, body, { ...headers });
    expect(answer.status).toBe(status);
    expect(answer.body.error).toContain('file');
    expect(existsSync(folderOf(api)) && readdirSync(join(folderOf(api), 'arriving'))).toBeFalsy();
  });

  it('refuses two files', async () => {
    await using api = await startApi();
    const form = formOf(png, 'a.png');
    form.append('file', new Blob(['b']), 'b');
    expect(refusalOf(await upload(api, form))).toEqual([400, 'invalid_request']);
  });

  it('asks who calls before the file comes', async () => {
    await using api = await startApi({ config: testConfig({ authentication: true }) });
    expect(refusalOf(await upload(api, formOf(png, 'a.png')))).toEqual([401, 'unauthorized']);
    expect(existsSync(folderOf(api))).toBe(false);
    expect((await upload(api, formOf(png, 'a.png'), { Authorization: systemToken })).status).toBe(200);
  });

  it('answers a repeated key with the first answer', async () => {
    await using api = await startApi();
    const key = { 'Idempotency-Key': 'k' };
    const first = await upload(api, formOf(png, 'a.png'), key);
    const again = await upload(api, formOf(png, 'a.png'), key);
    expect(again.body).toEqual(first.body);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(refusalOf(await upload(api, formOf(Buffer.from('b'), 'a.png'), key))).toEqual([409, 'idempotency_conflict']);
  });

  it('leaves nothing of a file whose client goes away', async () => {
    await using api = await startApi();
    const socket = connect(Number(new URL(api.url).port), '127.0.0.1');
    const head = ['POST /media.upload HTTP/1.1', 'Host: localhost', 'Content-Length: 100000'];
    head.push('Content-Type: multipart/form-data; boundary=a', '', '--a');
    head.push('Content-Disposition: form-data; name="file"; filename="a"', '', 'begin');
    socket.write(head.join('\r\n'));
    const arriving = join(folderOf(api), 'arriving');
    await expect.poll(() => existsSync(arriving) && readdirSync(arriving).length).toBe(1);
    socket.destroy();
    await expect.poll(() => readdirSync(arriving)).toEqual([]);
  });

  it('has a file on the disk before it says so', async () => {
    await using api = await startApi();
    const bytes = randomBytes(300_000);
    await uploaded(api, bytes, 'a.bin');
    const hash = sha256(bytes);
    expect(readFileSync(join(folderOf(api), hash.slice(0, 2), hash))).toEqual(bytes);
  });
});

describe('a file', () => {
  it.each([
    ['bytes=0-3', 206, '0123', 'bytes 0-3/10'],
    ['bytes=8-', 206, '89', 'bytes 8-9/10'],
    ['bytes=-2', 206, '89', 'bytes 8-9/10'],
    ['bytes=-20', 206, '0123456789', 'bytes 0-9/10'],
    ['bytes=5-99', 206, '56789', 'bytes 5-9/10'],
    ['bytes=10-', 416, '', 'bytes */10'],
    ['bytes=-0', 416, '', 'bytes */10'],
    ['bytes=4-2', 200, '0123456789', null],
    ['bytes=0-1,4-5', 200, '0123456789', null],
    ['lines=1-2', 200, '0123456789', null],
  ])('answers the range %s with %i', async (Range, status, text, contentRange) => {
    await using api = await startApi();
    const response = await fetch(await uploaded(api, Buffer.from('0123456789'), 'a.txt'), { headers: { Range } });
    expect([response.status, await response.text()]).toEqual([status, text]);
    expect(response.headers.get('content-range')).toBe(contentRange);
  });

  it('is told by its tag, and by HEAD', async () => {
    await using api = await startApi();
    const address = await uploaded(api, Buffer.from('0123456789'), 'a.txt');
    const known = await fetch(address, { headers: { 'If-None-Match': `"${sha256(Buffer.from('0123456789'))}"` } });
    expect([known.status, await known.text()]).toEqual([304, '']);
    const head = await fetch(address, { method: 'HEAD' });
    expect([head.status, head.headers.get('content-length')]).toEqual([200, '10']);
    const refused = await fetch(address, { method: 'DELETE' });
    expect([refused.status, await refused.json()]).toEqual([
      405,
      { code: 'method_not_allowed', error: `${new URL(address).pathname} takes GET only.` },
    ]);
  });

  it('is told by its tag however a cache writes it', async () => {
    await using api = await startApi();
    const address = await uploaded(api, Buffer.from('0123456789'), 'a.txt');
    const tag = `"${sha256(Buffer.from('0123456789'))}"`;
    const statusOf = async (given: string) => (await fetch(address, { headers: { 'If-None-Match': given } })).status;
    expect(await Promise.all([`W/${tag}`, `"x", ${tag}`, '*', '"x"', 'W/"x", "y"'].map(statusOf))).toEqual([
      ...[304, 304, 304],
      ...[200, 200],
    ]);
  });

  it('may be empty', async () => {
    await using api = await startApi();
    const response = await fetch(await uploaded(api, Buffer.alloc(0), 'nothing'));
    expect([response.status, await response.text()]).toEqual([200, '']);
  });

  it.each(['0'.repeat(64), `${'0'.repeat(64)}.png`, '..%2f..%2fparley.db', 'arriving', '%00', 'x'.repeat(3_000)])(
    'is not there under %s',
    async (name) => {
      await using api = await startApi();
      await uploaded(api, png, 'a.png');
      const response = await fetch(`${api.url}/media/${name}`);
      expect(response.status).toBe(404);
      expect(((await response.json()) as { code: string }).code).toBe('not_found');
    },
  );
});

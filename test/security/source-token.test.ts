import { decodeProtectedHeader, jwtVerify, SignJWT } from 'jose';
import { describe, expect, it } from 'vitest';
import { Secret } from '#src/config/config.ts';
import { SourceTokens } from '#src/security/source-token.ts';
import { jwtSecret, testConfig } from '../_support/config.ts';

const issuedAt = 1_700_000_000;
const key = Buffer.from(jwtSecret);
const claims = { sourceId: 'shop', issuedAt };

const signed = (
  change: { typ?: string; aud?: string; key?: Buffer; payload?: Record<string, unknown>; alg?: string } = {},
) =>
  new SignJWT(change.payload ?? { source_id: 'shop' })
    .setProtectedHeader({ alg: change.alg ?? 'HS256', typ: change.typ ?? 'parley-source+jwt' })
    .setAudience(change.aud ?? 'parley:source')
    .setIssuedAt(issuedAt)
    .sign(change.key ?? key);

describe('source tokens', () => {
  it('are JWTs that the secret verifies', async () => {
    const token = await new SourceTokens(testConfig()).make(claims);
    const { payload } = await jwtVerify(token, key, { audience: 'parley:source', typ: 'parley-source+jwt' });
    expect(payload).toEqual({ source_id: 'shop', iat: issuedAt, aud: 'parley:source' });
    expect(decodeProtectedHeader(token).alg).toBe('HS256');
  });

  it('are the same text for the same claims', async () => {
    const [one, other] = [new SourceTokens(testConfig()), new SourceTokens(testConfig())];
    expect(await one.make(claims)).toBe(await other.make(claims));
    expect(await one.make({ ...claims, issuedAt: issuedAt + 1 })).not.toBe(await one.make(claims));
  });

  it('give back their claims, also the second time', async () => {
    const tokens = new SourceTokens(testConfig());
    const token = await tokens.make(claims);
    expect([await tokens.verify(token), await tokens.verify(token)]).toEqual([claims, claims]);
  });

  it('are refused when anything about them is foreign', async () => {
    const tokens = new SourceTokens(testConfig());
    const foreign = await Promise.all([
      signed({ typ: 'JWT' }),
      signed({ aud: 'parley:chatplugin' }),
      signed({ key: Buffer.from('k'.repeat(32)) }),
      signed({ alg: 'HS512', key: Buffer.from(jwtSecret.repeat(2)) }),
      signed({ payload: {} }),
      signed({ payload: { source_id: 7 } }),
    ]);
    for (const token of [...foreign, '', 'a.b.c']) expect(await tokens.verify(token), token).toBeNull();
    expect(await tokens.verify(await signed())).toEqual(claims);
  });

  it('are refused without a signature', async () => {
    const [, payload] = (await signed()).split('.');
    const header = Buffer.from(JSON.stringify({ alg: 'none', typ: 'parley-source+jwt' })).toString('base64url');
    expect(await new SourceTokens(testConfig()).verify(`${header}.${payload}.`)).toBeNull();
  });

  it('are void under another secret', async () => {
    const token = await new SourceTokens(testConfig()).make(claims);
    const other = new SourceTokens(testConfig({ jwtSecret: new Secret('x'.repeat(32)) }));
    expect(await other.verify(token)).toBeNull();
  });
});

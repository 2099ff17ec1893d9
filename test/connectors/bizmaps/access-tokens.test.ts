import { importSPKI, jwtVerify } from 'jose';
import { describe, expect, it } from 'vitest';
import { type AccessTokens, accessTokens } from '#src/connectors/bizmaps/access-tokens.ts';
import { accessToken, answering, granted, keyFile, keys, tokenUri } from './platform.ts';

const tokensOf = (changes: object = {}): AccessTokens => accessTokens(JSON.stringify({ ...keyFile, ...changes }));
const grant = { kind: 'granted', token: accessToken };
const badKeyFile = 'components.sources.bizmaps.saFile is not the key file of a service account.';

describe('an access token', () => {
  it('is granted for a claim that the account signed', async () => {
    const { calls, clock, tools } = answering(granted);
    expect(await tokensOf().fresh(tools)).toEqual(grant);
    expect(calls).toHaveLength(1);
    expect(calls[0]).toMatchObject({ url: tokenUri, timeoutMs: 4_000 });
    const form = new URLSearchParams(String(calls[0]!.body));
    expect(form.get('grant_type')).toBe('urn:ietf:params:oauth:grant-type:jwt-bearer');
    const key = await importSPKI(keys.publicKey.export({ type: 'spki', format: 'pem' }).toString(), 'RS256');
    const { payload, protectedHeader } = await jwtVerify(form.get('assertion')!, key, {
      ...{ issuer: keyFile.client_email, audience: tokenUri, currentDate: new Date(clock.now) },
    });
    expect(protectedHeader).toEqual({ alg: 'RS256', typ: 'JWT', kid: 'key-1' });
    const iat = clock.now / 1_000;
    const scope = 'https://www.googleapis.com/auth/businessmessages';
    expect(payload).toMatchObject({ scope, iat, exp: iat + 3_600 });
  });

  it('is used until shortly before its end', async () => {
    const { calls, clock, tools } = answering(granted, [200, { access_token: 'second', expires_in: 3600 }]);
    const tokens = tokensOf();
    await tokens.current(tools);
    clock.now += 3_539_000;
    expect(await tokens.current(tools)).toEqual(grant);
    expect(calls).toHaveLength(1);
    clock.now += 1_000;
    expect(await tokens.current(tools)).toEqual({ kind: 'granted', token: 'second' });
    expect(calls).toHaveLength(2);
  });

  it('is asked for once, however many want it', async () => {
    const { calls, tools } = answering(granted);
    const tokens = tokensOf();
    const grants = await Promise.all(Array.from({ length: 50 }, () => tokens.current(tools)));
    expect([new Set(grants.map((given) => given.kind)), calls.length]).toEqual([new Set(['granted']), 1]);
  });

  it('is asked for again after a refusal', async () => {
    const { calls, tools } = answering([500, ''], granted);
    const tokens = tokensOf();
    expect((await tokens.current(tools)).kind).toBe('unreachable');
    expect(await tokens.current(tools)).toEqual(grant);
    expect(calls).toHaveLength(2);
  });

  it('is forgotten when it is not taken', async () => {
    const { calls, tools } = answering(granted);
    const tokens = tokensOf();
    await tokens.current(tools);
    tokens.forget('another');
    await tokens.current(tools);
    expect(calls).toHaveLength(1);
    tokens.forget(accessToken);
    await tokens.current(tools);
    expect(calls).toHaveLength(2);
  });

  it('lasts an hour where nobody says how long', async () => {
    const { calls, clock, tools } = answering([200, { access_token: accessToken }]);
    const tokens = tokensOf();
    await tokens.current(tools);
    clock.now += 3_500_000;
    await tokens.current(tools);
    expect(calls).toHaveLength(1);
  });

  const noToken = 'The platform gave the service account no token.';
  it.each<[what: string, answer: readonly [number, unknown], outcome: object]>([
    [
      'a wrong signature',
      [400, { error: 'invalid_grant', error_description: 'Invalid JWT Signature.' }],
      { kind: 'rejected', error: 'The service account is not let in: invalid_grant, Invalid JWT Signature.' },
    ],
    ['a refusal without words', [401, 'oops'], { kind: 'rejected', error: 'The source answered with status 401.' }],
    ['no token', [200, {}], { kind: 'rejected', error: noToken }],
    ['a token of no text', [200, { access_token: 7 }], { kind: 'rejected', error: noToken }],
    ['a token that no header holds', [200, { access_token: 'a\r\nb' }], { kind: 'rejected', error: noToken }],
    ['a wait', [429, ''], { kind: 'throttled', retryAfter: 5_000 }],
    ['a fault', [503, ''], { kind: 'unreachable' }],
  ])('is not there after %s', async (_, answer, outcome) => {
    expect(await tokensOf().fresh(answering(answer).tools)).toMatchObject(outcome);
  });

  it.each([
    ['no JSON', accessTokens('no JSON')],
    ['no key', tokensOf({ private_key: undefined })],
    ['a key that is none', tokensOf({ private_key: 'no key' })],
    ['no account', tokensOf({ client_email: '' })],
  ])('is not asked for with a key file of %s', async (_, tokens) => {
    const { calls, tools } = answering(granted);
    expect(await tokens.current(tools)).toEqual({ kind: 'rejected', error: badKeyFile });
    expect(calls).toEqual([]);
  });

  it('needs neither the id of the key nor an address', async () => {
    const { calls, tools } = answering(granted);
    await tokensOf({ private_key_id: undefined, token_uri: undefined }).fresh(tools);
    expect(calls[0]!.url).toBe('https://oauth2.googleapis.com/token');
  });
});

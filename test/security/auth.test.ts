import { createHash, randomUUID } from 'node:crypto';
import { afterEach, describe, expect, it } from 'vitest';
import { sourceActorId } from '#actors/ids.ts';
import { Secret } from '#src/config/config.ts';
import { apiKeyHash, apiKeyText } from '#src/security/api-key.ts';
import { createAuth } from '#src/security/auth.ts';
import { anonymous, type Caller, callerName, type Scope } from '#src/security/caller.ts';
import { VisitorTokens } from '#src/security/visitor-token.ts';
import { sourceTokensOf } from '#src/security/source-token.ts';
import { ActorSystem } from '../_support/actor-system.ts';
import { jwtSecret, systemToken, testConfig } from '../_support/config.ts';
import { codeOf } from '../_support/failures.ts';

const closing: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** @returns the text of a new key */
async function addKey(system: ActorSystem, revoked = false): Promise<string> {
  const id = randomUUID();
  const text = apiKeyText(new Secret(jwtSecret), id);
  const body = { name: 'CRM', hash: apiKeyHash(text), operations: ['*'], createdBy: 'test' };
  await system.commands().send('api-key', id, 'api-key.create', body);
  if (revoked) await system.commands().send('api-key', id, 'api-key.revoke', null);
  return text;
}

/** A hub with the source `shop`, and the header values that callers try. */
async function hub(authentication: boolean) {
  const system = new ActorSystem();
  const store = system.reader();
  closing.push(
    () => store.close(),
    () => system[Symbol.asyncDispose](),
  );
  const { issuedAt } = await system
    .commands()
    .send('source', sourceActorId('shop'), 'source.create', { sourceId: 'shop' });
  const config = testConfig({ authentication });
  const used: string[] = [];
  const tokens = { tokens: sourceTokensOf(config), visitorTokens: new VisitorTokens(config, system.clock) };
  const auth = createAuth(
    { config, store, ...tokens, clock: system.clock },
    { keyUsed: (id) => void used.push(id), userCalled() {} },
  );
  const token = (sourceId: string, at: number) => sourceTokensOf(config).make({ sourceId, issuedAt: at });
  const credentials: Record<string, string | undefined> = {
    nothing: undefined,
    empty: 'Bearer ',
    garbage: 'Bearer garbage',
    system: `Bearer ${systemToken}`,
    'bare system': systemToken,
    'cut system': `Bearer ${systemToken.slice(0, -1)}`,
    source: `Bearer ${await token('shop', issuedAt)}`,
    'bare source': await token('shop', issuedAt),
    'older source': `Bearer ${await token('shop', issuedAt - 1)}`,
    'deleted source': `Bearer ${await token('gone', issuedAt)}`,
    key: `Bearer ${await addKey(system)}`,
    'bare key': await addKey(system),
    'unknown key': `Bearer ${apiKeyText(config.security.jwtSecret, randomUUID())}`,
    'revoked key': `Bearer ${await addKey(system, true)}`,
  };
  return { auth, system, credentials, used };
}

const cases: [authentication: boolean, scope: Scope, codes: Record<string, string>][] = [
  [false, 'public', {}],
  [true, 'public', {}],
  [false, 'core', {}],
  [
    true,
    'core',
    {
      nothing: 'unauthorized',
      empty: 'unauthorized',
      garbage: 'unauthorized',
      'cut system': 'unauthorized',
      'unknown key': 'unauthorized',
      'revoked key': 'unauthorized',
      source: 'forbidden',
      'bare source': 'forbidden',
      'older source': 'forbidden',
      'deleted source': 'forbidden',
    },
  ],
  ...[false, true].map((authentication): (typeof cases)[number] => [
    authentication,
    'source',
    {
      nothing: 'unauthorized',
      empty: 'unauthorized',
      garbage: 'unauthorized',
      'cut system': 'unauthorized',
      system: 'forbidden',
      'bare system': 'forbidden',
      key: 'forbidden',
      'bare key': 'forbidden',
      'unknown key': 'unauthorized',
      'revoked key': 'unauthorized',
      'older source': 'unauthorized',
      'deleted source': 'unauthorized',
    },
  ]),
];

describe('authentication', () => {
  it.each(cases)('%s: the scope %s lets in who it says', async (authentication, scope, codes) => {
    const { auth, credentials } = await hub(authentication);
    for (const [name, authorization] of Object.entries(credentials)) {
      const code = await codeOf(() => auth.identify(scope, { authorization }));
      expect(code, name).toBe(codes[name] ?? 'none');
    }
  });

  it('asks nobody at a public door', async () => {
    const { auth, credentials } = await hub(true);
    for (const authorization of Object.values(credentials)) {
      expect(await auth.identify('public', { authorization })).toEqual({ kind: 'anyone' });
    }
  });

  it('names the writer of messages', async () => {
    const { auth, credentials } = await hub(false);
    const start = createHash('sha256').update(systemToken).digest('hex').slice(0, 4);
    expect(await auth.identify('core', {})).toEqual({ kind: 'agent', sender: anonymous });
    expect(await auth.identify('core', { authorization: credentials.source })).toEqual({
      kind: 'agent',
      sender: anonymous,
    });
    expect(await auth.identify('core', { authorization: credentials.system })).toEqual({
      kind: 'agent',
      sender: { id: `system-token-${start}` },
    });
    expect(anonymous.id).toBe('parley-core-anonymous');
  });

  it('names the holder of a key, also on an open hub', async () => {
    const { auth, credentials, used } = await hub(false);
    const caller = await auth.identify('core', { authorization: credentials.key });
    const [keyId] = used;
    expect(caller).toEqual({
      ...{ kind: 'key', keyId, sender: { id: `api-key:${keyId}`, name: 'CRM' } },
      ...{ operations: ['*'], sources: null },
    });
    for (const name of ['revoked key', 'unknown key']) {
      expect(await auth.identify('core', { authorization: credentials[name] })).toEqual({
        kind: 'agent',
        sender: anonymous,
      });
    }
    expect(used).toHaveLength(1);
  });

  it('names the source of a source token', async () => {
    const { auth, credentials } = await hub(true);
    expect(await auth.identify('source', { authorization: credentials.source })).toEqual({
      kind: 'source',
      sourceId: 'shop',
      sender: { id: 'shop' },
    });
  });

  it('refuses a known token as soon as its source is gone', async () => {
    const { auth, system, credentials } = await hub(true);
    expect(await codeOf(() => auth.identify('source', { authorization: credentials.source }))).toBe('none');
    await system.commands().send('source', sourceActorId('shop'), 'source.delete', null);
    expect(await codeOf(() => auth.identify('source', { authorization: credentials.source }))).toBe('unauthorized');
  });

  it('reads the scheme in any case', async () => {
    const { auth } = await hub(true);
    for (const scheme of ['bearer', 'BEARER', 'Bearer ']) {
      expect(await codeOf(() => auth.identify('core', { authorization: `${scheme} ${systemToken}` })), scheme).toBe(
        'none',
      );
    }
  });

  it('never repeats a credential in its refusal', async () => {
    const { auth } = await hub(true);
    const refusal = await Promise.resolve(auth.identify('core', { authorization: 'Bearer hunter2' })).catch(
      (error: Error) => error.message,
    );
    expect(refusal).not.toContain('hunter2');
  });
});

describe('the name of a caller', () => {
  it('is one of its own', () => {
    const sender = { id: 'same' };
    const callers: Caller[] = [
      { kind: 'agent', sender },
      { kind: 'source', sourceId: 'same', sender },
      { kind: 'visitor', conversationId: 'same', channelId: 'line', contact: 'ann', until: 0 },
      { kind: 'key', keyId: 'same', sender, operations: [], sources: null },
      { kind: 'anyone' },
    ];
    expect(new Set(callers.map(callerName)).size).toBe(callers.length);
  });
});

import { randomUUID } from 'node:crypto';
import { SignJWT } from 'jose';
import { conversationId, userActorId } from '#actors/ids.ts';
import type { Clock } from '#actors/ports.ts';
import { Secret } from '#src/config/config.ts';
import { apiKeyText } from '#src/security/api-key.ts';
import type { Scope } from '#src/security/caller.ts';
import { sessionCookie } from '#src/security/cookies.ts';
import { VisitorTokens, type VisitTokenUse } from '#src/security/visitor-token.ts';
import { newSessionToken, sessionHash } from '#src/security/session-token.ts';
import { systemToken, jwtSecret } from '../_support/config.ts';
import type { TestApi } from '../_support/api.ts';

/** A value of the header Authorization, or a session's cookie, as somebody shows it; undefined: none. */
export type Credential = string | undefined;
/** Whose things a request names, as seen by a source. */
export type Whose = 'own' | 'foreign' | 'unknown';

/** In everything that source A has, and nowhere else. */
export const marker = 'only-for-the-eyes-of-a';

/** What a refused caller is told; `in`: it is let in. */
export type Verdict = 'in' | 'unauthorized' | 'forbidden';

type Names = 'none' | 'system' | 'source A' | 'source B' | 'deleted source' | 'visitor' | ForgedName;
type ForgedName = (typeof forgedNames)[number];
const forgedNames = [
  'system cut',
  'alg none',
  'other key',
  'other audience',
  'other type',
  'other algorithm',
  'expired',
  'not yet',
  'unknown key',
  'revoked key',
  'ended session',
  'expired session',
  'forged session',
  'resuming visitor',
  'late visitor',
  'visitor of another key',
] as const;

const all = (verdict: Verdict): Record<Names, Verdict> => ({
  ...{ none: verdict, system: verdict, 'source A': verdict, 'source B': verdict, 'deleted source': verdict },
  visitor: verdict,
  ...(Object.fromEntries(forgedNames.map((name) => [name, verdict])) as Record<ForgedName, Verdict>),
});

/** Those of whom nothing but a visitor's token is asked. */
const visitors: Record<Names, Verdict> = {
  ...all('unauthorized'),
  ...{ visitor: 'in', system: 'forbidden' },
  ...{ 'source A': 'forbidden', 'source B': 'forbidden', 'deleted source': 'forbidden' },
};

/** Who is let in at the door of each scope: the compiler asks for a new one's line. */
export const verdicts: Record<Scope, Record<'open' | 'closed', Record<Names, Verdict>>> = {
  public: { open: all('in'), closed: all('in') },
  core: {
    open: all('in'),
    closed: {
      ...all('unauthorized'),
      ...{ system: 'in', 'source A': 'forbidden', 'source B': 'forbidden', 'deleted source': 'forbidden' },
      visitor: 'forbidden',
    },
  },
  visitor: { open: visitors, closed: visitors },
  'visitor-or-system': { open: { ...visitors, system: 'in' }, closed: { ...visitors, system: 'in' } },
  source: {
    open: { ...all('unauthorized'), system: 'forbidden', 'source A': 'in', 'source B': 'in' },
    closed: { ...all('unauthorized'), system: 'forbidden', 'source A': 'in', 'source B': 'in' },
  },
};

/** A key that opens nothing any more. */
async function revokedKey(api: TestApi): Promise<string> {
  const system = { Authorization: `Bearer ${systemToken}` };
  const wish = { name: 'revoked', operations: ['*'] };
  const { body } = await api.post<{ id: string; key: string }>('/keys.create', wish, system);
  await api.post('/keys.revoke', { id: body.id }, system);
  return `Bearer ${body.key}`;
}

/** The token of a session that opens nothing, or never did; browsers send it as a cookie. */
async function overSession(api: TestApi, kind: 'ended' | 'expired' | 'forged'): Promise<string> {
  const id = randomUUID();
  const token = newSessionToken(id);
  const user = userActorId('id.example:ann');
  await api.commands.send('user', user, 'user.log-in', { userId: 'id.example:ann' });
  const now = api.system.clock.now();
  const hash = sessionHash(kind === 'forged' ? newSessionToken(id) : token);
  const expiresAt = kind === 'expired' ? now : now + 1_000;
  await api.commands.send('user-session', id, 'session.start', { hash, user, expiresAt });
  if (kind === 'ended') await api.commands.send('user-session', id, 'session.end', null);
  return `${sessionCookie}=${token}`;
}

/** Tokens of a visitor of a channel: one that is good, and those that are not. */
async function visitorTokens({ config, system }: TestApi, channelId: string) {
  const claims = { conversationId: conversationId(channelId, 'ann'), channelId, contact: 'ann' };
  const anHourAgo = { now: () => system.clock.now() - 3_600_000 };
  const foreign = { security: { ...config.security, jwtSecret: new Secret('k'.repeat(32)) } };
  const made = (
    use: VisitTokenUse,
    of: Pick<typeof config, 'security'> = config,
    clock: Pick<Clock, 'now'> = system.clock,
  ) => new VisitorTokens(of, clock).make(use, claims);
  return {
    visitor: `Bearer ${await made('visit')}`,
    'resuming visitor': `Bearer ${await made('resume')}`,
    'late visitor': `Bearer ${await made('visit', config, anHourAgo)}`,
    'visitor of another key': `Bearer ${await made('visit', foreign)}`,
  };
}

/** Every kind of credential, by name. @param channel for visitors */
export async function credentialsOf(
  api: TestApi,
  a: string,
  b: string,
  channel: string,
): Promise<Record<Names, Credential>> {
  const now = Math.floor(Date.now() / 1_000);
  const day = 86_400;
  const forged = async (change: {
    typ?: string;
    aud?: string;
    alg?: string;
    key?: string;
    exp?: number;
    nbf?: number;
  }) => {
    const jwt = new SignJWT({ source_id: 'a' })
      .setProtectedHeader({ alg: change.alg ?? 'HS256', typ: change.typ ?? 'parley-source+jwt' })
      .setAudience(change.aud ?? 'parley:source')
      .setIssuedAt(issuedAtOf(a));
    if (change.exp !== undefined) jwt.setExpirationTime(change.exp);
    if (change.nbf !== undefined) jwt.setNotBefore(change.nbf);
    return `Bearer ${await jwt.sign(Buffer.from(change.key ?? jwtSecret))}`;
  };
  const [, payload] = a.split('.');
  const unsigned = Buffer.from(JSON.stringify({ alg: 'none', typ: 'parley-source+jwt' })).toString('base64url');
  return {
    ...(await visitorTokens(api, channel)),
    none: undefined,
    system: `Bearer ${systemToken}`,
    'source A': a,
    'source B': b,
    'deleted source': `Bearer ${await api.tokenOf('gone', issuedAtOf(a))}`,
    'system cut': `Bearer ${systemToken.slice(0, -1)}`,
    'alg none': `Bearer ${unsigned}.${payload}.`,
    'other key': await forged({ key: 'k'.repeat(32) }),
    'other audience': await forged({ aud: 'parley:chatplugin' }),
    'other type': await forged({ typ: 'JWT' }),
    'other algorithm': await forged({ alg: 'HS512', key: jwtSecret.repeat(2) }),
    expired: await forged({ exp: now - day }),
    'not yet': await forged({ nbf: now + day }),
    'unknown key': `Bearer ${apiKeyText(new Secret(jwtSecret), randomUUID())}`,
    'revoked key': await revokedKey(api),
    'ended session': await overSession(api, 'ended'),
    'expired session': await overSession(api, 'expired'),
    'forged session': await overSession(api, 'forged'),
  };
}

const issuedAtOf = (authorization: string): number =>
  JSON.parse(Buffer.from(authorization.split('.')[1]!, 'base64url').toString()).iat as number;

/** Where the ids stand that an operation takes, and what each is in the three cases. */
export type Ids = Record<string, Record<Whose, string>>;

/** Fields that name something, whatever they are called: an id of the hub's or of the source's own. */
const namesSomething = /(?:^|_)id$/;
/** Ids that a request gives to new things, or that are the source's word for a person or for an account. */
const free = new Set([
  ...['source_message_id', 'source_sender_id'],
  ...['page_id', 'account_id', 'phone_number_id', 'agent_id'],
]);

/**
 * An operation's example with other ids in it.
 * @throws Error for a field that `ids` does not know: the matrix has to be told what it names
 */
export function withIds(path: string, example: unknown, ids: Ids, whose: Whose): unknown {
  const resource = path.slice(1).split('.')[0];
  const replaced = (value: unknown, key: string): unknown => {
    if (Array.isArray(value)) return value.map((item) => replaced(item, ''));
    if (typeof value === 'object' && value !== null) {
      return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, replaced(inner, name)]));
    }
    if (!namesSomething.test(key) || free.has(key)) return value;
    const known = ids[`${resource}.${key}`] ?? ids[key];
    if (known === undefined) throw new Error(`${path}: say in the access matrix what ${resource}.${key} names`);
    return known[whose];
  };
  return replaced(example, '');
}

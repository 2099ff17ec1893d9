import { describe, expect, it } from 'vitest';
import type { AccountForm, AccountParts } from '#src/connectors/accounts.ts';
import { pageplatformConnector } from '#src/connectors/pageplatform/connector.ts';
import type { OutgoingResult } from '#src/outgoing/call.ts';
import { answered, appSecret, calling, configured, outOfReach, refusal, seen, token } from '../graph/platform.ts';
import { page } from './page-cases.ts';
import { account } from './photo-cases.ts';

const [pages, photos] = pageplatformConnector.accounts as [AccountForm, AccountForm];

function asking(...answers: OutgoingResult[]) {
  const { calls, tools } = calling(...answers);
  const parts: AccountParts = { ...tools, config: configured() };
  return { calls, parts };
}

const given = 'EAAGgivenByTheUser000';
const lasting = 'EAAGlastingUserToken0';
const picture = { data: { url: 'https://p.example/page', is_silhouette: false } };
const exchanged = answered(200, { access_token: lasting, token_type: 'bearer', expires_in: 5_183_944 });
const found = answered(200, { id: page, name: 'Page', access_token: token, picture });
const subscribed = answered(200, { success: true });

const exchanging = `/oauth/access_token?grant_type=fb_exchange_token&client_id=app-1&client_secret=${appSecret}&fb_exchange_token=${given}`;
const reading = `/${page}?fields=id%2Cname%2Caccess_token%2Cpicture`;
const fields =
  'messages,messaging_postbacks,messaging_optins,messaging_referrals,messaging_handovers,message_deliveries,message_reads,message_echoes,message_reactions,message_edits,standby';
const subscribing = `/${page}/subscribed_apps?subscribed_fields=${encodeURIComponent(fields)}`;

const linked = (source: string, source_channel_id: string, metadata: Record<string, string>, held: string | null) => ({
  channel: { id: 'ch', source, source_channel_id, metadata, connected: true },
  token: held,
});

describe('a page', () => {
  const connect = async (...answers: OutgoingResult[]) => {
    const { calls, parts } = asking(...answers);
    return { calls, outcome: await pages.connect({ page_id: page, page_token: given }, parts) };
  };

  it('is what the form asks for', () => {
    expect([pages.source, pages.component]).toEqual(['pageplatform', 'pageplatform']);
    expect(pages.request.safeParse(pages.example).success).toBe(true);
    expect(pages.request.safeParse({ page_id: '', page_token: '' }).error?.issues).toHaveLength(2);
  });

  it('is connected by an exchange, its own token, a subscription', async () => {
    const { calls, outcome } = await connect(exchanged, found, subscribed);
    expect(outcome).toEqual({ kind: 'linked', sourceChannelId: page, token, imageUrl: picture.data.url });
    expect(calls.map(seen)).toEqual([
      ['GET', exchanging, null],
      ['GET', reading, null],
      ['POST', subscribing, null],
    ]);
    expect(calls.map(({ headers }) => headers['Authorization'])).toEqual([
      ...[undefined, `Bearer ${lasting}`, `Bearer ${token}`],
    ]);
    expect(calls.map(({ url }) => url.includes('appsecret_proof='))).toEqual([false, true, true]);
  });

  it('that is asked for by its name has its id', async () => {
    const { calls, parts } = asking(exchanged, found, subscribed);
    const outcome = await pages.connect({ page_id: 'my.page', page_token: given }, parts);
    expect(outcome).toMatchObject({ sourceChannelId: page });
    expect(seen(calls[2]!)[1]).toBe(subscribing);
  });

  it('without a token of its own has the one exchanged', async () => {
    const { outcome } = await connect(exchanged, answered(200, { id: page }), subscribed);
    expect(outcome).toEqual({ kind: 'linked', sourceChannelId: page, token: lasting });
  });

  it.each<[string, OutgoingResult[], object]>([
    [
      'a token that is none',
      [refusal(190, `Bad ${given}, ${appSecret}`)],
      { kind: 'rejected', error: 'Bad [redacted], [redacted]' },
    ],
    ['no exchange', [answered(200, {})], { kind: 'rejected', error: 'The platform gave no token in exchange.' }],
    ['an exchange out of reach', [outOfReach], { kind: 'unreachable' }],
    [
      'an unknown page',
      [exchanged, refusal(100, 'Unsupported get request')],
      { kind: 'rejected', error: 'Unsupported get request' },
    ],
    ['a page out of reach', [exchanged, answered(503, '')], { kind: 'unreachable' }],
    [
      'no permission',
      [exchanged, found, refusal(200, '(#200) Missing permission')],
      { kind: 'rejected', error: '(#200) Missing permission' },
    ],
    ['too many calls', [exchanged, found, refusal(4, 'Limit')], { kind: 'unreachable', error: 'Limit' }],
  ])('is not connected: %s', async (_, answers, outcome) => {
    const made = await connect(...answers);
    expect(made.outcome).toMatchObject(outcome);
    expect(made.calls).toHaveLength(answers.length);
  });

  it('that is refused tells none of its tokens', async () => {
    const said = refusal(200, `${given} ${lasting} ${encodeURIComponent('odd/token')} may not`);
    const page = answered(200, { id: '1', access_token: 'odd/token' });
    const { parts } = asking(answered(200, { access_token: 'plain-lasting' }), page, said);
    const outcome = await pages.connect({ page_id: '1', page_token: 'plain-given' }, parts);
    expect(outcome).toEqual({ kind: 'rejected', error: '[redacted] [redacted] [redacted] may not' });
    const refused = asking(answered(200, { access_token: 'plain-lasting' }), refusal(1, 'plain-given, plain-lasting'));
    expect(await pages.connect({ page_id: '1', page_token: 'plain-given' }, refused.parts)).toEqual({
      ...{ kind: 'rejected', error: '[redacted], [redacted]' },
    });
  });

  it('is disconnected by the end of its subscription', async () => {
    const { calls, parts } = asking(subscribed);
    await pages.disconnect!(linked('pageplatform', page, {}, token), parts);
    expect(calls.map(seen)).toEqual([['DELETE', `/${page}/subscribed_apps`, null]]);
    expect(calls[0]!.headers).toEqual({ Authorization: `Bearer ${token}` });
  });

  it.each([refusal(190, 'Bad'), outOfReach, answered(500, '')])(
    'may be forgotten by the platform: %j',
    async (result) => {
      const { calls, parts } = asking(result);
      await pages.disconnect!(linked('pageplatform', page, {}, token), parts);
      expect(calls).toHaveLength(1);
    },
  );

  it('without a token is disconnected in silence', async () => {
    const { calls, parts } = asking();
    await pages.disconnect!(linked('pageplatform', page, {}, null), parts);
    expect(calls).toEqual([]);
  });
});

describe('an account for photos', () => {
  const body = { page_id: page, page_token: given, account_id: account };

  it('is connected through its page', async () => {
    expect([photos.source, photos.component]).toEqual(['photoplatform', 'pageplatform']);
    expect(photos.request.safeParse(photos.example).success).toBe(true);
    const { calls, parts } = asking(exchanged, found, subscribed);
    expect(await photos.connect(body, parts)).toEqual({
      ...{ kind: 'linked', sourceChannelId: account, token, imageUrl: picture.data.url },
      metadata: { page_id: page },
    });
    expect(calls.map((call) => seen(call)[1])).toEqual([exchanging, reading, subscribing]);
  });

  it('is refused with its page', async () => {
    const { parts } = asking(exchanged, refusal(100, 'No such page'));
    expect(await photos.connect(body, parts)).toEqual({ kind: 'rejected', error: 'No such page' });
  });

  it('is disconnected with its page', async () => {
    const { calls, parts } = asking(subscribed);
    await photos.disconnect!(linked('photoplatform', account, { page_id: page }, token), parts);
    expect(calls.map(seen)).toEqual([['DELETE', `/${page}/subscribed_apps`, null]]);
  });

  it('of no page known is disconnected in silence', async () => {
    const { calls, parts } = asking();
    await photos.disconnect!(linked('photoplatform', account, {}, token), parts);
    expect(calls).toEqual([]);
  });
});

describe('the pages of a token', () => {
  const one = (n: number) => ({
    id: String(n),
    name: `Page ${n}`,
    picture: { data: { url: `https://p.example/${n}` } },
  });
  const shown = (n: number) => ({ id: String(n), name: `Page ${n}`, imageUrl: `https://p.example/${n}` });
  const first = '/me/accounts?fields=id%2Cname%2Cpicture&limit=100';

  it('are asked for until there are no more', async () => {
    expect(pages.explore!.id).toBe('page_id');
    const next = `https://graph.example/v23.0/77/accounts?access_token=${given}&fields=id%2Cname%2Cpicture&limit=100&after=QVFI`;
    const { calls, parts } = asking(
      answered(200, { data: [one(1), one(2)], paging: { cursors: { after: 'QVFI' }, next } }),
      answered(200, { data: [one(3)], paging: { cursors: { before: 'a' }, previous: next } }),
    );
    expect(await pages.explore!.find(given, parts)).toEqual({ kind: 'found', accounts: [1, 2, 3].map(shown) });
    expect(calls.map((call) => seen(call).slice(0, 2))).toEqual([
      ['GET', first],
      ['GET', `${first}&after=QVFI`],
    ]);
    expect(calls.map(({ headers }) => headers)).toEqual(Array(2).fill({ Authorization: `Bearer ${given}` }));
  });

  it('are asked for nowhere else', async () => {
    const paging = { next: `https://evil.example/steal?after=1&appsecret_proof=x&access_token=${given}` };
    const { calls, parts } = asking(answered(200, { data: [], paging }), answered(200, { data: [] }));
    await pages.explore!.find(given, parts);
    expect(calls.map(({ url }) => new URL(url).origin)).toEqual(Array(2).fill('https://graph.example'));
    expect(calls[1]!.url).not.toContain(given);
  });

  it('are not asked for without end', async () => {
    const page = answered(200, { data: [one(1)], paging: { next: 'https://graph.example/v23.0/1/accounts?after=1' } });
    const { calls, parts } = asking(...Array<OutgoingResult>(60).fill(page));
    expect(await pages.explore!.find(given, parts)).toMatchObject({ kind: 'found' });
    expect(calls).toHaveLength(50);
  });

  it('may be odd', async () => {
    const data = [{ id: '1' }, { id: 7, name: 'x' }, null, { id: '2', name: '', picture: { data: [] } }];
    const { parts } = asking(answered(200, { data, paging: { next: 7 } }));
    expect(await pages.explore!.find(given, parts)).toEqual({
      ...{ kind: 'found', accounts: ['1', '2'].map((id) => ({ id, name: id, imageUrl: null })) },
    });
  });

  it.each<[string, OutgoingResult, object]>([
    [
      'refused',
      refusal(190, `Session of ${given} expired`),
      { kind: 'rejected', error: 'Session of [redacted] expired' },
    ],
    ['out of reach', outOfReach, { kind: 'unreachable' }],
  ])('are not found: %s', async (_, result, outcome) => {
    expect(await pages.explore!.find(given, asking(result).parts)).toMatchObject(outcome);
  });
});

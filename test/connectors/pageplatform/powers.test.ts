import { describe, expect, it } from 'vitest';
import type { Json } from '#actors/representation.ts';
import type { OutgoingResult } from '#src/outgoing/call.ts';
import { answered, calling, outOfReach, refusal, seen, token } from '../graph/platform.ts';
import { contact, page } from './page-cases.ts';
import { account } from './photo-cases.ts';
import { connector } from './updates.ts';

const at = (source: string, sourceChannelId: string, given: string | null = token) => ({
  sourceConversationId: contact,
  channel: { id: 'ch', source, source_channel_id: sourceChannelId, metadata: {}, connected: true },
  token: given,
});
const ofPage = at('pageplatform', page);
const ofPhotos = at('photoplatform', account);

describe('a profile', () => {
  it.each<[string, object, string, object]>([
    [
      'of a page',
      ofPage,
      'first_name%2Clast_name%2Cprofile_pic',
      { first_name: 'Ann', last_name: 'Lee', profile_pic: 'https://p.example/ann' },
    ],
    ['of photos', ofPhotos, 'name%2Cprofile_pic', { name: 'Ann Lee', profile_pic: 'https://p.example/ann' }],
  ])('%s is asked for by its fields', async (_, conversation, fields, said) => {
    const { calls, tools } = calling(answered(200, { ...said, id: contact }));
    const profile = await connector().profiles!.profileOf(conversation as typeof ofPage, tools);
    expect(profile).toEqual({ kind: 'found', name: 'Ann Lee', avatarUrl: 'https://p.example/ann' });
    expect(calls.map(seen)).toEqual([['GET', `/${contact}?fields=${fields}`, null]]);
    expect(calls[0]!.headers).toEqual({ Authorization: `Bearer ${token}` });
  });

  it.each<[string, OutgoingResult, object]>([
    ['a name alone', answered(200, { first_name: 'Ann' }), { kind: 'found', name: 'Ann', avatarUrl: null }],
    ['an odd picture', answered(200, { name: 'A', profile_pic: 'javascript:1' }), { name: 'A', avatarUrl: null }],
    ['nothing', answered(200, { id: contact, name: 7 }), { kind: 'unknown' }],
    ['no profile', refusal(100, `No profile for ${token}`), { kind: 'unknown', error: 'No profile for [redacted]' }],
    ['too many calls', refusal(4, 'Limit'), { kind: 'unreachable', error: 'Limit' }],
    ['no answer', outOfReach, { kind: 'unreachable' }],
  ])('is read where it has %s', async (_, result, profile) => {
    expect(await connector().profiles!.profileOf(ofPage, calling(result).tools)).toMatchObject(profile);
  });

  it('is not asked for without a token', async () => {
    const { calls, tools } = calling();
    const profile = await connector().profiles!.profileOf(at('pageplatform', page, null), tools);
    expect([profile.kind, calls]).toEqual(['unknown', []]);
  });
});

describe('what happens on the side of a page', () => {
  const acting = (sender_action: string) => [['POST', '/me/messages', { recipient: { id: contact }, sender_action }]];
  const done = answered(200, { recipient_id: contact });

  it('that it has read is shown', async () => {
    const { calls, tools } = calling(done);
    expect(await connector().readMarker!.markRead(ofPage, 'm_1', tools)).toBe('done');
    expect(calls.map(seen)).toEqual(acting('mark_seen'));
  });

  it.each<[string, OutgoingResult, string]>([
    ['refused', refusal(100, 'No'), 'done'],
    ['out of reach', outOfReach, 'unreachable'],
    ['too many', refusal(613, 'Wait'), 'unreachable'],
  ])('that it has read, %s', async (_, result, outcome) => {
    expect(await connector().readMarker!.markRead(ofPhotos, 'm_1', calling(result).tools)).toBe(outcome);
  });

  it.each([
    [true, 'typing_on'],
    [false, 'typing_off'],
  ])('that somebody writes is shown: %s', async (typing, action) => {
    const { calls, tools } = calling(done);
    await connector().typing!.notify(ofPage, typing, tools);
    expect(calls.map(seen)).toEqual(acting(action));
  });

  it('is shown to nobody without a token', async () => {
    const { calls, tools } = calling();
    const without = at('pageplatform', page, null);
    expect(await connector().readMarker!.markRead(without, 'm_1', tools)).toBe('done');
    await connector().typing!.notify(without, true, tools);
    expect(calls).toEqual([]);
  });
});

describe('files of a message', () => {
  const link = (name: string) => ({ name, at: `https://cdn.example/${name}` });
  const payload = (name: string) => ({ payload: { url: `https://cdn.example/${name}` } });

  it.each<[string, Json, object[]]>([
    ['attachments', { attachments: ['0', '1'].map((n) => ({ type: 'image', ...payload(n) })) }, [link('0'), link('1')]],
    [
      'no pages',
      {
        attachments: [
          { type: 'fallback', ...payload('a') },
          { type: 'template', ...payload('b') },
          { type: 'file', ...payload('2') },
        ],
      },
      [link('2')],
    ],
    ['a story', { text: 'Wow', reply_to: { story: { url: 'https://cdn.example/story', id: '1' } } }, [link('story')]],
    ['of a new kind', { attachments: [{ type: 'hologram', ...payload('0') }] }, [link('0')]],
    ['without an address', { attachments: [{ type: 'share', payload: {} }, 7, { payload: { url: 'ftp://a' } }] }, []],
    ['in text', 'https://cdn.example/0', []],
    ['in nothing', null, []],
    ['in odd content', { attachments: { payload: [] }, reply_to: 7 }, []],
  ])('are found: %s', (_, content, links) => {
    expect(connector().media!.locate(content)).toEqual(links);
  });

  it('are where their link says', async () => {
    const { calls, tools } = calling();
    const opened = await connector().media!.open(link('0'), ofPage, tools);
    expect([opened, calls]).toEqual([{ url: 'https://cdn.example/0', headers: {} }, []]);
  });
});

describe.each(['pageplatform', 'photoplatform'])('the window of %s', (source) => {
  const { length, takesLater, closed } = connector().windows![source]!;

  it('is open for a day', () => {
    expect(length).toBe(86_400_000);
    expect(closed).toMatch(/MESSAGE_TAG.*template/);
  });

  it.each<[Json, boolean]>([
    [{ text: 'Hello' }, false],
    [{ text: 'Hello', messaging_type: 'RESPONSE' }, false],
    [{ text: 'Hello', messaging_type: 'MESSAGE_TAG', tag: 'HUMAN_AGENT' }, true],
    [{ text: 'Hello', tag: 'HUMAN_AGENT' }, true],
    [{ text: 'Hello', messaging_type: 'UTILITY' }, true],
    [{ template: { name: 'shipped', language: { code: 'en' } }, messaging_type: 'UTILITY' }, true],
    [{ template: { name: 'shipped' } }, true],
    [{ attachment: { type: 'template', payload: { template_type: 'button' } } }, false],
    ['Hello', false],
    [null, false],
    [[], false],
  ])('takes later %j: %s', (content, takes) => {
    expect(takesLater(content)).toBe(takes);
  });
});

import { describe, expect, it } from 'vitest';
import type { Json } from '#actors/representation.ts';
import type { OutgoingResult } from '#src/outgoing/call.ts';
import { answered, calling, outOfReach, refusal, seen, token } from '../graph/platform.ts';
import { connector, contact, number } from './cases.ts';

const at = (given: string | null) => ({
  sourceConversationId: contact,
  channel: { id: 'ch', source: 'cloudmsg', source_channel_id: number, metadata: {}, connected: true },
  token: given,
});

describe('a conversation that is started', () => {
  it.each([
    ['+49 30 1234567', '49301234567'],
    ['49301234567', '49301234567'],
    [' +1\u00a0650 ', '1650'],
  ])('with %j is called %s', (recipient, conversation) => {
    expect(connector().starter!.conversationWith(recipient, 'cloudmsg')).toBe(conversation);
  });
});

describe('a message that was read', () => {
  it('is marked by its id', async () => {
    const { calls, tools } = calling(answered(200, { success: true }));
    expect(await connector().readMarker!.markRead(at(token), 'wamid.7', tools)).toBe('done');
    const body = { messaging_product: 'whatsapp', status: 'read', message_id: 'wamid.7' };
    expect(calls.map(seen)).toEqual([['POST', `/${number}/messages`, body]]);
  });

  it.each<[string, OutgoingResult, string]>([
    ['refused', refusal(100, 'No'), 'done'],
    ['out of reach', outOfReach, 'unreachable'],
    ['too many', refusal(130429, 'Wait'), 'unreachable'],
  ])('is marked, or not: %s', async (_, result, outcome) => {
    expect(await connector().readMarker!.markRead(at(token), 'wamid.7', calling(result).tools)).toBe(outcome);
  });

  it('is not marked without a token', async () => {
    const { calls, tools } = calling();
    expect(await connector().readMarker!.markRead(at(null), 'wamid.7', tools)).toBe('done');
    expect(calls).toEqual([]);
  });
});

describe('files of a message', () => {
  const link = { name: 'image', at: '275' };

  it.each<[string, Json, object[]]>([
    ...['image', 'video', 'audio', 'document', 'sticker'].map((type): [string, Json, object[]] => [
      type,
      { type, [type]: { id: '275', mime_type: 'x/y' } },
      [{ name: type, at: '275' }],
    ]),
    ['text', { type: 'text', text: { body: '275' } }, []],
    ['an odd image', { type: 'image', image: { id: 7 } }, []],
    ['no object', ['image'], []],
    ['nothing', null, []],
  ])('are found: %s', (_, content, links) => {
    expect(connector().media!.locate(content)).toEqual(links);
  });

  it.each(['https://media.example/1?ext=2', 'https://graph.example/file'])('are at %s', async (url) => {
    const { calls, tools } = calling(answered(200, { url, mime_type: 'image/jpeg', id: '275' }));
    const opened = await connector().media!.open(link, at(token), tools);
    expect(opened).toEqual({ url, headers: { Authorization: `Bearer ${token}` } });
    expect(calls.map(seen)).toEqual([['GET', `/275?phone_number_id=${number}`, null]]);
  });

  it.each<[string, OutgoingResult]>([
    ['unknown', refusal(100, 'Unsupported get request')],
    ['out of reach', outOfReach],
    ['nowhere', answered(200, {})],
    ['where somebody could listen', answered(200, { url: 'http://media.example/1' })],
    ['no address', answered(200, { url: 'file:///etc/passwd' })],
  ])('are not opened: %s', async (_, result) => {
    expect(await connector().media!.open(link, at(token), calling(result).tools)).toBeNull();
  });

  it('are not opened without a token', async () => {
    const { calls, tools } = calling();
    expect([await connector().media!.open(link, at(null), tools), calls]).toEqual([null, []]);
  });
});

describe('what a number may send', () => {
  it('is 80 in a second, and one in six to a contact after 45', () => {
    expect(connector().limits).toEqual({
      perChannel: { perSecond: 80, burst: 80 },
      perConversation: { perSecond: 1 / 6, burst: 45 },
    });
  });

  const { length, takesLater, closed } = connector().windows!['cloudmsg']!;

  it('is an answer for a day', () => {
    expect([length, closed]).toEqual([86_400_000, expect.stringContaining('template')]);
  });

  it.each<[Json, boolean]>([
    [{ type: 'template', template: { name: 'hello' } }, true],
    [{ type: 'text', text: { body: 'template' } }, false],
    [{ template: {} }, false],
    ['template', false],
    [null, false],
  ])('is later %j: %s', (content, takes) => {
    expect(takesLater(content)).toBe(takes);
  });
});

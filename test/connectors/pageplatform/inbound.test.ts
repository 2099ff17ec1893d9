import { describe, expect, it } from 'vitest';
import { posted } from '../graph/platform.ts';
import { at, contact, page, pageCases } from './page-cases.ts';
import { photoCases } from './photo-cases.ts';
import { ofPage, ofPhotos, routeAt, saying } from './updates.ts';

const { split, read } = routeAt('/pageplatform');
const readOf = (content: object) => read(JSON.stringify(content));
const text = {
  sender: { id: contact },
  recipient: { id: page },
  timestamp: at,
  message: { mid: 'm_1', text: 'Hello' },
};

describe('of a page', () => {
  it.each(pageCases)('%s', (_, event, said) => {
    expect(readOf(ofPage(event))).toEqual(saying('pageplatform', said));
  });

  it.each(pageCases)('%s, while another app has the conversation', (_, event, said) => {
    const update = { object: 'page', entry: [{ id: page, time: at, standby: [event] }] };
    expect(readOf(update)).toEqual(saying('pageplatform', said));
  });
});

describe('of photos', () => {
  it.each(photoCases)('%s', (_, event, said) => {
    expect(readOf(ofPhotos(event))).toEqual(saying('photoplatform', said));
  });
});

describe('what is not understood', () => {
  it.each([
    ['another object', { ...ofPage(text), object: 'user' }],
    ['a name that every object has', { ...ofPage(text), object: 'constructor' }],
    ['a change of a page', { object: 'page', entry: [{ id: page, changes: [{ field: 'feed', value: {} }] }] }],
    ['an event of another kind', ofPage({ ...text, message: undefined, account_linking: { status: 'linked' } })],
    ['an opt-in of nobody known', ofPage({ recipient: { id: page }, timestamp: at, optin: { user_ref: 'r' } })],
    ['a message without an id', ofPage({ ...text, message: { text: 'Hello' } })],
    ['a message of nobody', ofPage({ ...text, sender: undefined })],
    ['a reaction to nothing', ofPage({ ...text, message: undefined, reaction: { action: 'react', emoji: 'x' } })],
    [
      'what the page itself has read',
      ofPage({ ...text, sender: { id: page }, message: undefined, read: { watermark: at } }),
    ],
  ])('%s', (_, content) => {
    expect(readOf(content)).toBeNull();
  });
});

describe('one odd field loses no more than itself', () => {
  const sentAt = (event: object, time: unknown) => {
    const entry = [{ id: page, time, messaging: [event] }];
    return readOf({ object: 'page', entry })?.messages.map((message) => message.sentAt);
  };

  it.each([
    ['its own', at, 1, at],
    ['its own, as digits', String(at), 1, at],
    ['that of the entry', undefined, at + 5, at + 5],
    ['that of the entry', 'soon', at + 5, at + 5],
    ['that of the entry', 7, at + 5, at + 5],
    ['none that there was', -1, null, Date.UTC(2100, 0, 1)],
  ])('a message has a time: %s', (_, timestamp, time, expected) => {
    expect(sentAt({ ...text, timestamp }, time)).toEqual([expected]);
  });

  it('a message and its referral, with a reaction that is none', () => {
    const event = { ...text, reaction: 7, referral: { ref: 'r' } };
    expect(readOf(ofPage(event))).toMatchObject({
      messages: [{ id: 'm_1' }],
      metadata: [{ metadata: { referral: { ref: 'r' } } }],
    });
  });

  it('the ids of a delivery that are some', () => {
    const delivery = { mids: ['m_1', 7, '', null, 'm_2'], watermark: 'x' };
    expect(readOf(ofPage({ ...text, message: undefined, delivery }))?.receipts).toEqual(
      ['m_1', 'm_2'].map((message) => ({ message, state: 'delivered' })),
    );
  });

  it('numbers keep their digits', () => {
    const update = JSON.stringify(ofPage({ ...text, message: { mid: 'm_1', price: 0 } })).replace(
      '"price":0',
      '"price":1.10,"id":12345678901234567890',
    );
    expect(JSON.stringify(read(update)?.messages[0]?.content)).toBe(
      '{"mid":"m_1","price":1.10,"id":12345678901234567890}',
    );
  });
});

describe('a batch', () => {
  const event = (n: number) => ({ ...text, message: { mid: `m_${n}`, text: 'x'.repeat(2_800) } });

  it('is split into what the platform would send alone', async () => {
    const entry = [
      { id: page, time: 1, messaging: [event(1), event(2)], standby: [event(3)] },
      { id: 'other', time: 2, messaging: [], hop: true },
      7,
    ];
    const updates = split(await posted('/pageplatform', { object: 'page', entry, more: 1 }));
    expect(updates.map((update) => JSON.parse(update))).toEqual(
      [
        { id: page, time: 1, messaging: [event(1)] },
        { id: page, time: 1, messaging: [event(2)] },
        { id: page, time: 1, standby: [event(3)] },
        { id: 'other', time: 2, messaging: [], hop: true },
        7,
      ].map((part) => ({ object: 'page', more: 1, entry: [part] })),
    );
  });

  it('of one update stays as it came', async () => {
    const body = JSON.stringify(ofPage(text), null, 3);
    expect(split(await posted('/pageplatform', body))).toEqual([body]);
  });

  it('of 3 MB and 1,000 updates is split at once', async () => {
    const request = await posted('/pageplatform', ofPage(...Array.from({ length: 1_000 }, (_, n) => event(n))));
    expect(request.body.length).toBeGreaterThan(2_900_000);
    split(request);
    const before = performance.now();
    const updates = split(request);
    expect(performance.now() - before).toBeLessThan(500);
    expect(updates.map((update) => read(update)?.messages[0]?.id)).toEqual(
      Array.from({ length: 1_000 }, (_, n) => `m_${n}`),
    );
  });

  it('that is nested without end is split all the same', async () => {
    const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`;
    const body = `{"object":"page","entry":[{"id":"1","messaging":[${deep},1.10]}]}`;
    const lengths = split(await posted('/pageplatform', body)).map((update) => update.length);
    expect(lengths).toEqual([body.length - ',1.10'.length, expect.any(Number)]);
  });
});

import { describe, expect, it } from 'vitest';
import { objectIn } from '#src/connectors/outcome.ts';
import { posted } from '../graph/platform.ts';
import { cases, contact, number, route, saying, update } from './cases.ts';

const { split, read } = route();
const readOf = (content: object) => read(JSON.stringify(content));
const text = (id: string, from = contact) => ({
  ...{ from, id, timestamp: '1767225600', type: 'text', text: { body: 'Hello' } },
});
const named = (wa_id: string) => ({ profile: { name: `Name of ${wa_id}` }, wa_id });

describe('of a number', () => {
  it.each(cases)('%s', (_, value, said) => {
    expect(readOf(update(value))).toEqual(saying(said));
  });
});

describe('what is not understood', () => {
  it.each([
    ['another object', { ...update({ messages: [text('w_1')] }), object: 'page' }],
    ['errors of the number', update({ errors: [{ code: 130429, title: 'Rate limit hit' }] })],
    ['contacts alone', update({ contacts: [named(contact)] })],
    ['a message without an id', update({ messages: [{ ...text('w_1'), id: undefined }] })],
    ['a message of nobody', update({ messages: [{ ...text('w_1'), from: 7 }] })],
    ['a reaction to nothing', update({ messages: [{ ...text('w_1'), type: 'reaction', reaction: { emoji: 'x' } }] })],
    ['a status of nothing', update({ statuses: [{ status: 'sent' }] })],
    ['a status that is none', update({ statuses: [{ id: 'w_1', status: { sent: true } }] })],
    [
      'a message of no number',
      { object: 'whatsapp_business_account', entry: [{ changes: [{ value: { messages: [text('w_1')] } }] }] },
    ],
    [
      'what happens to a template',
      {
        object: 'whatsapp_business_account',
        entry: [{ id: '1', changes: [{ field: 'message_template_status_update', value: { event: 'APPROVED' } }] }],
      },
    ],
  ])('%s', (_, content) => {
    expect(readOf(content)).toBeNull();
  });
});

describe('one odd field loses no more than itself', () => {
  it.each([
    ['as digits', '1767225600', 1_767_225_600_000],
    ['as a number', 1_767_225_600, 1_767_225_600_000],
    ['that is none', 'soon', Date.UTC(2100, 0, 1)],
    ['that is none', 1e300, Date.UTC(2100, 0, 1)],
    ['that is in ms', 1_767_225_600_000, Date.UTC(2100, 0, 1)],
  ])('a message has a time: %s', (_, timestamp, expected) => {
    const said = readOf(update({ messages: [{ ...text('w_1'), timestamp }] }));
    expect(said?.messages.map(({ sentAt }) => sentAt)).toEqual([expected]);
  });

  it.each([[null], [[7, null, {}]], [[{ wa_id: contact, profile: 7 }]], [{ wa_id: contact }]])(
    'a message of somebody without a name: %j',
    (contacts) => {
      expect(readOf(update({ contacts, messages: [text('w_1')] }))).toMatchObject({
        ...{ messages: [{ id: 'w_1', sender: contact }], metadata: [] },
      });
    },
  );

  it('a failure whose errors are odd', () => {
    const errors = [{ code: 'x', title: 7, message: 'Something went wrong', error_data: [] }];
    const said = readOf(update({ statuses: [{ id: 'w_1', status: 'failed', errors }] }));
    expect(said?.metadata).toMatchObject([{ sourceId: 'w_1', metadata: { error: 'Something went wrong' } }]);
    expect(said?.receipts).toEqual([{ message: 'w_1', state: 'failed' }]);
  });

  it('numbers keep their digits', () => {
    const content = JSON.stringify(update({ messages: [{ ...text('w_1'), price: 0 }] })).replace(
      '"price":0',
      '"price":1.10,"id64":12345678901234567890',
    );
    expect(JSON.stringify(read(content)?.messages[0]?.content)).toContain('"price":1.10,"id64":12345678901234567890');
  });
});

describe('a batch', () => {
  it('is split into messages and statuses, each with its contact', async () => {
    const content = update(
      {
        contacts: [named('1'), named('2'), named('3')],
        messages: [text('w_1', '1'), text('w_2', '2')],
        statuses: [{ id: 'w_3', status: 'read', recipient_id: '3' }],
      },
      { messages: [text('w_4', '4')], contacts: [named('4')] },
      { event: 'odd' },
    );
    const updates = split(await posted('/cloudmsg', content)).map((part) => objectIn(part));
    const alone = (value: object) => update(value);
    expect(updates).toEqual([
      alone({ contacts: [named('1')], messages: [text('w_1', '1')] }),
      alone({ contacts: [named('2')], messages: [text('w_2', '2')] }),
      alone({ contacts: [named('3')], statuses: [{ id: 'w_3', status: 'read', recipient_id: '3' }] }),
      alone({ contacts: [named('4')], messages: [text('w_4', '4')] }),
      alone({ event: 'odd' }),
    ]);
  });

  it('of several accounts says all that it would at once', async () => {
    const contents = [update({ messages: [text('w_1')] }), update({ messages: [text('w_2'), text('w_3')] })];
    const entry = contents.flatMap((content) => (content as { entry: object[] }).entry);
    const updates = split(await posted('/cloudmsg', { object: 'whatsapp_business_account', entry }));
    expect(updates.flatMap((part) => read(part)?.messages.map(({ id }) => id))).toEqual(['w_1', 'w_2', 'w_3']);
  });

  it('of 3 MB and 1,000 updates is split at once', async () => {
    const all = Array.from({ length: 1_000 }, (_, n) => n);
    const messages = all.map((n) => ({ ...text(`w_${n}`, `49${n}`), text: { body: 'x'.repeat(2_800) } }));
    const request = await posted('/cloudmsg', update({ contacts: all.map((n) => named(`49${n}`)), messages }));
    expect(request.body.length).toBeGreaterThan(2_900_000);
    split(request);
    const before = performance.now();
    const updates = split(request);
    expect(performance.now() - before).toBeLessThan(500);
    expect(updates.reduce((bytes, { length }) => bytes + length, 0)).toBeLessThan(2 * request.body.length);
    expect(updates.map((part) => read(part)?.metadata.map(({ sourceId }) => sourceId))).toEqual(
      all.map((n) => [`49${n}`]),
    );
    expect(read(updates[7]!)?.messages[0]).toMatchObject({ id: 'w_7', channel: number });
  });
});

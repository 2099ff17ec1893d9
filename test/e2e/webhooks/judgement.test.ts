import { expect, test } from 'vitest';
import type { EventJson } from '#actors/representation.ts';
import { judge } from './judgement.ts';
import type { Receipt } from './receiver.ts';

const receipt = (seq: number, answered: number, more: Partial<Receipt> = {}): Receipt => ({
  path: '/',
  id: `id-${seq}`,
  at: 0,
  type: 'message.created',
  subject: 'c',
  seq,
  cursor: '',
  timestamp: 0,
  standard: true,
  hmac: true,
  userAgent: '',
  contentType: '',
  team: null,
  answered,
  ...more,
});
const events = [1, 3].map((seq) => ({ subject: { type: 'conversation', id: 'c' }, seq }) as unknown as EventJson);
const nothing = { missing: [], disordered: [], unstable: [], repeated: [], unverified: [] };

test.each([
  ['a failure that is tried again', [receipt(1, 500), receipt(1, 200), receipt(3, 200)], [], {}],
  ['an answer that a kill hid', [receipt(1, 200), receipt(1, 200), receipt(3, 200)], [1], {}],
  ['an event that never arrived', [receipt(1, 200), receipt(3, 500)], [], { missing: ['c 3'] }],
  ['an event sent twice', [receipt(1, 200), receipt(3, 200), receipt(3, 200)], [1], { repeated: ['c 3'] }],
  ['an event that overtook', [receipt(1, 500), receipt(3, 200), receipt(1, 200)], [], {}],
  ['another id', [receipt(1, 500), receipt(1, 200, { id: 'x' }), receipt(3, 200)], [], { unstable: ['c 1'] }],
  ['one id for two', [receipt(1, 200), receipt(3, 200, { id: 'id-1' })], [], { unstable: ['c 3'] }],
  ['a wrong HMAC', [receipt(1, 200, { hmac: false }), receipt(3, 200)], [], { unverified: ['id-1'] }],
])('the judge sees %s', (what, receipts, marks, faults) => {
  const { judgement } = judge(receipts, events, marks);
  if (what === 'an event that overtook') expect(judgement.disordered).not.toEqual([]);
  else
    expect(judgement).toMatchObject({
      ...nothing,
      ...faults,
      ...(what === 'an event sent twice' && { disordered: expect.anything() }),
    });
});

import { expect, test } from 'vitest';
import { type Growing, growing, signalOf } from '#actors/runtime/signal.ts';
import { Growth } from '#src/runtime/growth.ts';

const cases: [what: string, signal: Uint8Array | undefined, told: Growing[]][] = [
  ['one name wakes those who wait for it', signalOf(['outbox']), ['outbox']],
  ['two names wake both', signalOf(['feed', 'webhooks']), ['feed', 'webhooks']],
  ['a signal that names nothing wakes everybody', new Uint8Array(0), [...growing]],
  ['no signal for a while wakes everybody', undefined, [...growing]],
  ['a name of a later release is left out', Buffer.from('contacts outbox'), ['outbox']],
];

test.each(cases)('%s', (_, signal, expected) => {
  const growth = new Growth();
  const told: Growing[] = [];
  for (const what of growing) growth.on(what, () => told.push(what));
  growth.signalled(signal);
  expect(told).toEqual(expected);
});

test('who waits for two things is called once for a signal', () => {
  const growth = new Growth();
  let calls = 0;
  const run = (): void => void calls++;
  growth.on('feed', run);
  const cancel = growth.on('outbox', run);
  growth.signalled();
  expect(calls).toBe(1);
  cancel();
  growth.signalled(signalOf(['outbox']));
  expect(calls).toBe(1);
});

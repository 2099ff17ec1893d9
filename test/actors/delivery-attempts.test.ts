import { expect, test } from 'vitest';
import {
  type AttemptOutcome,
  fewestAttempts,
  mostUnknownOutcomes,
  unknownOutcomeError,
} from '#machines/message-delivery.ts';
import { ann, giveUpAfter, sending, succeeded, throttled, unreachable } from './sending.ts';
import { eventsOf, uuid } from './support.ts';

test.each(['rejected', 'channel_not_connected'] as const)('%s fails the send at once', async (kind) => {
  await using send = await sending();
  await send.start();
  expect(await send.finish({ kind, error: 'no such number' })).toEqual({ retryAt: null });
  expect(send.message()).toMatchObject({ state: 'failed', metadata: { error: 'no such number' } });
  expect(send.effects()).toEqual([]);
});

test('an unreachable source is tried again after a wait', async () => {
  await using send = await sending();
  await send.start();
  const events = eventsOf(send.system).length;
  const now = send.system.clock.now();
  expect(await send.finish(unreachable)).toEqual({ retryAt: now + 1_000 });
  expect(send.effects()).toEqual([0]);
  expect(await send.start()).toMatchObject({ started: false });
  await send.advance(999);
  expect(send.effects()).toEqual([0]);
  await send.advance(1);
  expect(send.effects()).toEqual([1]);
  expect(await send.start()).toMatchObject({ started: true, attempt: 2 });
  expect(await send.finish(unreachable)).toEqual({ retryAt: send.system.clock.now() + 2_000 });
  expect(eventsOf(send.system)).toHaveLength(events);
  await send.system.restart();
  await send.advance(2_000);
  expect(await send.start()).toMatchObject({ started: true, attempt: 3 });
});

test('a source out of reach for ten minutes fails the send', async () => {
  await using send = await sending();
  const begin = send.system.clock.now();
  let attempt = 0;
  while (send.message().state === 'pending') {
    expect(await send.start()).toMatchObject({ started: true, attempt: ++attempt });
    await send.finish(unreachable);
    await send.advance(60_000);
  }
  // The first call was made at once, and the last one when the time was up.
  expect([attempt, send.system.clock.now() - begin]).toEqual([11, giveUpAfter + 60_000]);
  expect(send.message()).toMatchObject({ metadata: { error: 'no connection (given up after 600 s)' } });
  expect(send.effects()).toEqual([]);
});

test.each([0, 1])('five calls are made in vain, and %i that nobody knows of', async (unknown) => {
  await using send = await sending();
  for (let call = 1; call <= unknown; call++) {
    await send.start();
    await send.finish({ kind: 'outcome_unknown' });
  }
  for (let call = 1; call <= fewestAttempts; call++) {
    expect(send.message().state).toBe('pending');
    await send.start();
    await send.finish(unreachable);
    await send.advance(60_000);
    await send.advance(giveUpAfter);
  }
  expect(send.message().state).toBe('failed');
});

test('a resent send has all of its time again', async () => {
  await using send = await sending();
  await send.start();
  await send.finish({ kind: 'rejected', error: 'busy' });
  await send.advance(2 * giveUpAfter);
  await send.commands.send('conversation', ann, 'message.resend', { messageId: send.messageId });
  await send.start();
  await send.finish(throttled);
  expect(send.message().state).toBe('pending');
});

test('a source that asks to wait is told of, and obeyed', async () => {
  await using send = await sending();
  for (let n = 0; n < fewestAttempts + 2; n++) {
    const events = eventsOf(send.system).length;
    expect(await send.start()).toMatchObject({ started: true, attempt: 1 });
    const retryAt = send.system.clock.now() + 7_000;
    expect(await send.finish(throttled)).toEqual({ retryAt });
    const error = 'slow down (the source asked to wait)';
    expect(send.message()).toMatchObject({ state: 'pending', metadata: { error } });
    const told = eventsOf(send.system).slice(events);
    const message = { id: send.messageId, state: 'pending', metadata: { error } };
    expect(told).toMatchObject(n === 0 ? [{ payload: { metadata: { error } } }, { payload: { message } }] : []);
    await send.advance(7_000);
  }
  expect(send.effects()).toEqual([1]);
  await send.start();
  await send.finish(succeeded);
  expect(send.message().metadata).not.toHaveProperty('error');
});

test('a source that asks to wait for ever fails the send', async () => {
  await using send = await sending();
  await send.start();
  const end = send.system.clock.now() + giveUpAfter;
  expect(await send.finish({ ...throttled, retryAfter: 24 * 3_600_000 })).toEqual({ retryAt: end });
  await send.advance(giveUpAfter);
  await send.start();
  expect(await send.finish(throttled)).toEqual({ retryAt: null });
  expect(send.message()).toMatchObject({ state: 'failed', metadata: { error: 'slow down (given up after 600 s)' } });
});

test('an unknown outcome is shown and tried again', async () => {
  await using send = await sending();
  await send.start();
  expect(await send.finish({ kind: 'outcome_unknown' })).toEqual({ retryAt: send.system.clock.now() });
  expect(send.message()).toMatchObject({ state: 'pending', metadata: { outcome_unknown: true } });
  expect(send.effects()).toEqual([1]);
  for (let n = 0; n < mostUnknownOutcomes; n++) {
    await send.start();
    await send.finish({ kind: 'outcome_unknown' });
  }
  expect(send.message()).toMatchObject({
    state: 'failed',
    metadata: { outcome_unknown: true, error: unknownOutcomeError },
  });
});

test('an attempt with a foreign effect does not start', async () => {
  await using send = await sending();
  const about = { messageId: send.messageId, effectId: uuid() };
  expect(await send.commands.send('conversation', ann, 'attempt.start', about)).toMatchObject({ started: false });
});

test('an attempt in progress is not started twice', async () => {
  await using send = await sending();
  await send.start();
  expect(await send.start()).toMatchObject({ started: false });
});

test.each<[AttemptOutcome, string]>([
  [{ kind: 'rejected', error: 'no' }, 'pending'],
  [unreachable, 'pending'],
  [throttled, 'pending'],
  [{ kind: 'outcome_unknown' }, 'pending'],
  [succeeded, 'delivered'],
])('an attempt in progress is not ended by another: %j', async (outcome, state) => {
  await using send = await sending();
  const { revision } = await send.start();
  await send.finish({ kind: 'outcome_unknown' });
  await send.start();
  await send.finish(outcome, revision);
  expect([send.message().state, send.effects()]).toEqual([state, state === 'pending' ? [1] : []]);
  expect(await send.start()).toMatchObject({ started: false });
  await send.finish(succeeded);
  expect(send.message().state).toBe('delivered');
});

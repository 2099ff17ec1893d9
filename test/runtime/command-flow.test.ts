import { expect, test } from 'vitest';
import { CommandFlow } from '#src/runtime/command-flow.ts';
import { ManualClock } from '../_support/manual-clock.ts';
import { failureOf } from '../actors/support.ts';

/** A flow with commands that end when they are told to. */
function sending() {
  const clock = new ManualClock();
  const flow = new CommandFlow(clock, { alone: 3, inCompany: 1, waitMs: 10_000 });
  const sent: string[] = [];
  const ends: (() => void)[] = [];
  const send = (name: string): Promise<void> =>
    flow.within(name[0]!, () => {
      sent.push(name);
      return new Promise<void>((resolve) => ends.push(resolve));
    });
  /** Ends the oldest one. */
  const end = async (): Promise<void> => {
    ends.shift()!();
    await new Promise(setImmediate);
  };
  return { clock, flow, sent, send, end };
}

test('of one caller a bounded number is under way, in their order', async () => {
  const { sent, send, end } = sending();
  for (const name of ['a1', 'a2', 'a3', 'a4', 'a5']) void send(name);
  expect(sent).toEqual(['a1', 'a2', 'a3']);
  await end();
  expect(sent).toEqual(['a1', 'a2', 'a3', 'a4']);
});

test('no caller waits for another one', async () => {
  const { sent, send, end } = sending();
  for (const name of ['a1', 'a2', 'a3', 'a4', 'b1', 'b2']) void send(name);
  expect(sent).toEqual(['a1', 'a2', 'a3', 'b1']);
  // In company, one each.
  await end();
  await end();
  expect(sent).toHaveLength(4);
  await end();
  expect(sent.at(-1)).toBe('a4');
  await end();
  expect(sent.at(-1)).toBe('b2');
});

test('a command that fails makes room', async () => {
  const { flow, sent, send } = sending();
  const failing = ['a', 'a', 'a'].map((caller) => flow.within(caller, () => Promise.reject(new Error('lost'))));
  void send('a4');
  expect(sent).toEqual([]);
  for (const one of failing) await expect(one).rejects.toThrow('lost');
  expect(sent).toEqual(['a4']);
});

test('what waited for more than ten seconds is refused', async () => {
  const { clock, sent, send, end } = sending();
  for (const name of ['a1', 'a2', 'a3']) void send(name);
  const late = failureOf(send('a4'));
  clock.advance(10_001);
  void send('a5');
  await end();
  expect(await late).toBe('overloaded');
  expect(sent).toEqual(['a1', 'a2', 'a3', 'a5']);
});

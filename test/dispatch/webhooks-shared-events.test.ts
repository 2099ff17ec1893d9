import { expect, test } from 'vitest';
import type { WebhookEvent } from '#actors/webhook-subscription/contract.ts';
import { SharedEvents } from '#src/dispatch/webhooks/shared-events.ts';
import { ManualClock } from '../_support/manual-clock.ts';

/** Events of which each key has one, `length` characters long, but for those in `pruned`. */
function sharing(length = 100) {
  const clock = new ManualClock();
  const pages: number[][] = [];
  const pruned = new Set<number>();
  const events = new SharedEvents(
    {
      events(feedKeys) {
        pages.push([...feedKeys]);
        const event = (key: number): WebhookEvent => ({ type: 'message.created', length, text: () => `${key}` });
        return new Map(feedKeys.filter((key) => !pruned.has(key)).map((key) => [key, event(key)]));
      },
    },
    clock,
  );
  const find = (key: number, ...others: number[]): string | undefined =>
    events.find(key, () => [key, ...others])?.text();
  return { clock, pages, pruned, find };
}

test('a page is read once, for all who want its events', () => {
  const { pages, find } = sharing();
  expect([find(1, 2, 3), find(2), find(3, 4), find(1, 2, 3)]).toEqual(['1', '2', '3', '1']);
  expect(pages).toEqual([[1, 2, 3]]);
});

test('an event that is pruned is null, and asked for again', () => {
  const { pages, pruned, find } = sharing();
  pruned.add(2);
  expect([find(1, 2, 3), find(2, 3), find(3)]).toEqual(['1', undefined, '3']);
  expect(pages).toEqual([
    [1, 2, 3],
    [2, 3],
  ]);
});

test.each([
  ['a second', 1_000],
  ['the clock going back', -1],
])('nothing is kept after %s', (_, ms) => {
  const { clock, pages, pruned, find } = sharing();
  find(1, 2);
  pruned.add(1).add(2);
  const now = clock.now();
  clock.now = () => now + ms;
  expect([find(1), find(2)]).toEqual([undefined, undefined]);
  expect(pages).toHaveLength(3);
});

test('what was read lately stays, whatever comes after it', () => {
  const { clock, pages, find } = sharing(100 * 1024);
  const now = clock.now();
  for (let key = 1; key <= 4; key++) {
    clock.now = () => now + key;
    find(key);
  }
  expect([find(4), find(3)]).toEqual(['4', '3']);
  expect(pages).toHaveLength(4);
});

test('no more than 512 KiB and two pages are kept', () => {
  const { pages, find } = sharing(100 * 1024);
  for (let key = 1; key <= 9; key++) find(key);
  for (let key = 9; key >= 1; key--) find(key);
  expect(pages.length).toBeGreaterThanOrEqual(9 + 3);
});

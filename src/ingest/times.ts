import { type Inbound, timeUnknown } from './items.ts';

const earliest = Date.UTC(2000, 0, 1);
/** How far a source's clock may be ahead of the hub's, in ms. */
const ahead = 24 * 60 * 60 * 1_000;

const isPlausible = (time: number, now: number): boolean => time >= earliest && time <= now + ahead;

/**
 * Why a time from outside can not be right, as a part of a sentence; null: it can. One implausible time would keep its
 * place at an end of every list for good.
 * @param time epoch ms
 */
export function timeProblem(time: number, now: number): string | null {
  if (isPlausible(time, now)) return null;
  const seconds = time * 1_000;
  const hint = isPlausible(seconds, now) ? `; milliseconds are expected, and these look like seconds` : '';
  return time < earliest ? `lies before 2000-01-01${hint}` : "lies more than 24 hours ahead of the hub's clock";
}

/** The time, or now in the place of one that can not be right. */
export const plausibleTime = (time: number, now: number): number => (isPlausible(time, now) ? time : now);

/** What an update says, whose messages without a time were sent when it came: now, or before it was put aside. */
export const withTimes = (inbound: Inbound, cameAt: number): Inbound => ({
  ...inbound,
  messages: inbound.messages.map((item) => (item.sentAt === timeUnknown ? { ...item, sentAt: cameAt } : item)),
});

import type { Line } from '../core/line.ts';

/** Entries of one side that follow each other closely: shown under one name and one time. */
export interface Group {
  key: string;
  fromVisitor: boolean;
  sender?: Line['sender'];
  lines: Line[];
}

/** The groups of a day. */
export interface Day {
  key: string;
  /** Epoch ms within it. */
  at: number;
  groups: Group[];
}

const closely = 5 * 60_000;

export function groupByDay(lines: readonly Line[]): Day[] {
  const days: Day[] = [];
  for (const line of lines) {
    const key = new Date(line.at).toDateString();
    if (days.at(-1)?.key !== key) days.push({ key, at: line.at, groups: [] });
    const { groups } = days.at(-1)!;
    const group = groups.at(-1);
    if (group && isClose(group.lines.at(-1)!, line)) group.lines.push(line);
    else groups.push({ ...line, lines: [line] });
  }
  return days;
}

const isClose = (one: Line, next: Line): boolean =>
  one.fromVisitor === next.fromVisitor &&
  (one.fromVisitor || one.sender?.id === next.sender?.id) &&
  next.at - one.at < closely;

/** "today" and "yesterday" in words, else the date. */
export function dayName(at: number, now: number, locale?: string): string {
  const startOf = (time: number) => new Date(time).setHours(0, 0, 0, 0);
  const days = Math.round((startOf(at) - startOf(now)) / 86_400_000);
  if (days > -2) return new Intl.RelativeTimeFormat(locale, { numeric: 'auto' }).format(days, 'day');
  return new Intl.DateTimeFormat(locale, { dateStyle: 'full' }).format(at);
}

export const timeName = (at: number, locale?: string): string =>
  new Intl.DateTimeFormat(locale, { timeStyle: 'short' }).format(at);

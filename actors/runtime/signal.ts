/**
 * What somebody outside waits for: events, effects to do, webhook subscriptions with their deliveries, sources with their
 * channels, components, who may call, and contents that were erased.
 */
export const growing = ['feed', 'outbox', 'webhooks', 'sources', 'components', 'callers', 'erased'] as const;
export type Growing = (typeof growing)[number];

/** The body of the signal after a commit: the names of what grew, with spaces between them. */
export const signalOf = (grown: Iterable<Growing>): Uint8Array => Buffer.from([...grown].join(' '));

/** What grew, by a signal's body. One that names nothing means everything; names that are not known are left out. */
export function grownIn(signal: Uint8Array): readonly Growing[] {
  if (signal.length === 0) return growing;
  const names: readonly string[] = Buffer.from(signal).toString().split(' ');
  return growing.filter((what) => names.includes(what));
}

import type { CommandSender } from '#actors/commands.ts';
import { Failure } from '#actors/errors.ts';
import type { Clock, Logger } from '#actors/ports.ts';
import type { StoreReader } from '#actors/store-reader.ts';
import type { Features } from '#src/features.ts';
import { ingest } from './ingest.ts';
import type { Inbound, SignalItem } from './items.ts';
import { sortMessages, type SourceTraits } from './messages.ts';
import { checkMetadata } from './metadata-check.ts';
import { targetLookup } from './metadata-targets.ts';
import { metadataIn } from './receipts.ts';
import { raiseSignals } from './signals.ts';
import { plausibleTime } from './times.ts';

/** What taking in works with. */
export interface UpdateParts {
  commands: CommandSender;
  store: StoreReader;
  features: Features;
  clock: Clock;
  log: Logger;
  traitsOf(source: string): SourceTraits;
}

/**
 * Stores what a platform's updates say; resolves when it is durable. A platform can not mend what it sends: what can not
 * be stored is left out, with a line in the log, and a message of an impossible time was sent now.
 * @param about where it came in, for the log
 */
export async function takeIn(parts: UpdateParts, said: readonly Inbound[], about: object): Promise<void> {
  for (const inbound of bySource(said)) await takeInOf(parts, inbound, about);
}

async function takeInOf(parts: UpdateParts, inbound: Inbound, about: object): Promise<void> {
  const { commands, store, features, clock, log, traitsOf } = parts;
  const { source, signals = [] } = inbound;
  const now = clock.now();
  const messages = inbound.messages.map((item) => ({ ...item, sentAt: plausibleTime(item.sentAt, now) }));
  const sorted = sortMessages(store.channels, { ...inbound, messages }, now);
  const metadata = metadataIn(inbound);
  const unusable = new Set(checkMetadata(store, source, sorted, metadata).map(({ index }) => index));
  const note = (leftOut: number, event: string): void => {
    if (leftOut > 0) log.warn({ ...about, source, leftOut }, event);
  };
  note(sorted.unusable.length, 'inbound.unusable_messages');
  note(unusable.size, 'inbound.unusable_metadata');
  const usable = metadata.filter((_, index) => !unusable.has(index));
  const ingesting = { commands, store, features, traits: traitsOf(source) };
  try {
    await ingest(ingesting, source, sorted, usable);
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== 'too_many_unknown_targets') throw error;
    // What is said of messages that nobody knows must not keep out messages.
    const lookup = targetLookup(store, source, sorted.conversations);
    const known = usable.filter((item) => lookup(item).length > 0);
    note(usable.length - known.length, 'inbound.too_many_unknown');
    await ingest(ingesting, source, sorted, known);
  }
  await raiseSignals({ commands, store }, source, signals);
}

/** One of each source, with all that is said of it in its order: so each conversation is asked once. */
function bySource(said: readonly Inbound[]): Inbound[] {
  if (said.length < 2) return [...said];
  return [...Map.groupBy(said, ({ source }) => source)].map(([source, all]) => ({
    source,
    messages: all.flatMap(({ messages }) => messages),
    metadata: all.flatMap(({ metadata }) => metadata),
    receipts: all.flatMap(({ receipts }) => receipts),
    signals: all.flatMap(({ signals = [] }): readonly SignalItem[] => signals),
  }));
}

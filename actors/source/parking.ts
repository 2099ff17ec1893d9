import { conversationActor } from '../conversation/contract.ts';
import { Failure } from '../errors.ts';
import { merged } from '../json.ts';
import { metadataBounds, metadataText } from '../metadata.ts';
import type { JsonObject } from '../representation.ts';
import type { ParkItem, TargetName } from './contract.ts';
import type { SourceRuntime } from './memory.ts';
import { parkedMetadata, type ParkedMetadataRow, saidIn } from './tables.ts';

/** Conversations and messages that have not appeared and are kept something for, of one source. */
const mostUnknown = 10_000;

/**
 * Keeps what is said about things that have not appeared, one row for each name.
 * @throws Failure `too_many_unknown_targets`, `metadata_too_large`
 */
export function parkMetadata(runtime: SourceRuntime, items: readonly ParkItem[]): void {
  const { reads, row } = runtime;
  const named = byName(items);
  const known = named.map(({ name }) => reads.parkedUnder(row.source_id, name));
  const added = known.filter((parked) => parked === null).length;
  if (added > 0 && reads.countParked(row.source_id) + added > mostUnknown) throw tooMany();
  for (const [i, { name, said }] of named.entries()) {
    const parked = known[i]!;
    if (parked === null) runtime.change(parkedMetadata.insert(newRow(runtime, name, keptText(said))));
    else runtime.change(parkedMetadata.update(parked.key, { said: keptText([...saidIn(parked), ...said]) }));
  }
}

/**
 * Tells conversations what is kept for them although they have appeared, and keeps it no longer.
 * @param gone keys of what is forgotten anyway
 */
export function handOver(runtime: SourceRuntime, gone: ReadonlySet<number>): void {
  for (const { row, target } of runtime.reads.met(runtime.row.source_id)) {
    if (gone.has(row.key)) continue;
    const about = [{ messageId: target.messageId, metadata: saidIn(row) }];
    runtime.tell(conversationActor(target.conversationId), 'metadata.merge', { about });
    runtime.change(parkedMetadata.remove(row.key));
  }
}

/** What is said under one name, in its order. */
function byName(items: readonly ParkItem[]): { name: TargetName; said: JsonObject[] }[] {
  const named = new Map<string, { name: TargetName; said: JsonObject[] }>();
  for (const { metadata, ...name } of items) {
    const id = JSON.stringify([name.namespace, name.sourceId, name.sourceConversationId, name.channelId]);
    const known = named.get(id) ?? { name, said: [] };
    known.said.push(metadata);
    named.set(id, known);
  }
  return [...named.values()];
}

/** What is said again and again is kept as what it comes to: it has the room of the metadata that it will be. */
function keptText(said: readonly JsonObject[]): string {
  const text = `[${said.map(metadataText).join()}]`;
  return Buffer.byteLength(text) <= metadataBounds.bytes ? text : `[${metadataText(merged({}, ...said))}]`;
}

function newRow(runtime: SourceRuntime, name: TargetName, said: string): ParkedMetadataRow {
  return {
    key: runtime.nextKey(),
    source_id: runtime.row.source_id,
    namespace: name.namespace,
    target: name.sourceId,
    conversation: name.sourceConversationId ?? null,
    channel: name.channelId ?? null,
    said,
    at: runtime.now,
  };
}

const tooMany = (): Failure =>
  new Failure(
    'too_many_unknown_targets',
    `Metadata of more than ${mostUnknown} conversations and messages waits for them to appear. Push messages first.`,
  );

import { Failure } from '../errors.ts';
import { channelActor } from '../channel/contract.ts';
import type { Envelope } from '../runtime/envelope.ts';
import type { Handlers } from '../runtime/kind.ts';
import type { ForgottenConversation, SourceCommands, TargetName } from './contract.ts';
import type { SourceRuntime } from './memory.ts';
import { handOver, parkMetadata } from './parking.ts';
import { sourceJson } from './representation.ts';
import { parkedMetadata, type SourceRow } from './tables.ts';

export const sourceHandlers: Handlers<SourceRuntime, SourceCommands> = {
  'source.create'(runtime, body) {
    const { row, now } = runtime;
    if (row.deleted === 0) throw new Failure('source_exists', `There is a source ${body.sourceId} already.`);
    runtime.save({
      source_id: body.sourceId,
      action_endpoint: body.actionEndpoint ?? null,
      name: body.name ?? null,
      image_url: body.imageUrl ?? null,
      // A token names its second of issue: that of a source created anew must differ from the deleted one's.
      issued_at: Math.max(Math.floor(now / 1000), row.issued_at + 1),
      deleted: 0,
    });
    runtime.signal('sources');
    return { source: sourceJson(row), issuedAt: row.issued_at };
  },

  'source.update'(runtime, body) {
    const row = existing(runtime);
    const { actionEndpoint = row.action_endpoint, name = row.name, imageUrl = row.image_url } = body;
    runtime.save({ action_endpoint: actionEndpoint, name, image_url: imageUrl });
    runtime.signal('sources');
    return { source: sourceJson(row) };
  },

  'source.delete'(runtime) {
    const row = existing(runtime);
    for (const { id, lastTurn } of runtime.reads.connectedChannels(row.source_id)) {
      runtime.tell(channelActor(id), 'channel.disconnect', { lastTurn });
    }
    runtime.save({ deleted: 1 });
    runtime.signal('sources');
    return null;
  },

  'metadata.park'(runtime, { source, items }) {
    const { row, reads } = runtime;
    // A built-in source is created by nobody; one that was deleted meanwhile goes on with it once it is created anew.
    if (row.source_id === '') runtime.save({ source_id: source });
    const hasAppeared = items.map((item) => reads.targets(row.source_id, item).length > 0);
    // What is said of somebody who was erased is not kept until it is forgotten.
    const isUnknown = (item: TargetName, i: number) => !hasAppeared[i] && !reads.isErased(row.source_id, item);
    parkMetadata(runtime, items.filter(isUnknown));
    return { appeared: [...items.keys()].filter((i) => hasAppeared[i]) };
  },

  'metadata.unpark'(runtime, { keys }) {
    for (const key of keys) {
      if (runtime.reads.isParked(key)) runtime.change(parkedMetadata.remove(key));
    }
    return null;
  },

  'metadata.forget'(runtime, conversation) {
    const { channelId, sourceConversationId } = conversation;
    for (const key of runtime.reads.parkedFor(runtime.row.source_id, channelId, sourceConversationId)) {
      runtime.change(parkedMetadata.remove(key));
    }
    runtime.eraseLetters(isAbout(runtime, conversation));
    return null;
  },

  'metadata.prune'(runtime, { before }) {
    const { reads, row } = runtime;
    const old = reads.parkedBefore(row.source_id, before, prunedAtOnce);
    for (const key of old) runtime.change(parkedMetadata.remove(key));
    handOver(runtime, new Set(old));
    return null;
  },
};

/** Whether a command that could not be handled was to keep something for a conversation or for messages in it. */
function isAbout(
  { reads }: SourceRuntime,
  { conversationId, channelId, sourceConversationId }: ForgottenConversation,
): (letter: Envelope) => boolean {
  const isNamed = (source: string, { namespace, ...name }: TargetName): boolean => {
    const named = namespace === 'conversation' ? name.sourceId : name.sourceConversationId;
    if ((name.channelId ?? channelId) !== channelId) return false;
    return named === undefined
      ? reads.hasMessage(conversationId, source, name.sourceId)
      : named === sourceConversationId;
  };
  return ({ type, body }) => {
    if (type !== 'metadata.park' || body === null) return false;
    const { source, items } = body as SourceCommands['metadata.park']['body'];
    return items.some((item) => isNamed(source, item));
  };
}

/** Rows that one command prunes. */
const prunedAtOnce = 500;

/** @throws Failure `not_found` for sources that were never created, or deleted */
function existing({ row }: SourceRuntime): Readonly<SourceRow> {
  if (row.deleted === 1) throw notThere();
  return row;
}

const notThere = (): Failure => new Failure('not_found', 'There is no such source.');

import { conversationActor } from '../conversation/contract.ts';
import { Failure } from '../errors.ts';
import type { Handlers, Runtime } from '../runtime/kind.ts';
import { tagActor, type TagCommands } from './contract.ts';
import type { TagReads } from './reads.ts';
import { tagJson } from './representation.ts';
import { taggedConversations, type TagRow } from './tables.ts';

type TagRuntime = Runtime<TagRow, null, TagReads, null>;

/**
 * A tag knows who has it, because each conversation tells it. So it can tell all of them when it is deleted, and the
 * ones that hear of it too late when they tell: wherever they are, and whatever order it happens in.
 */
export const tagHandlers: Handlers<TagRuntime, TagCommands> = {
  'tag.create'(runtime, { name, color }) {
    runtime.save({ name, color, created_at: runtime.now, deleted: 0 });
    const tag = tagJson(runtime.row);
    runtime.emit('tag.updated', { ...tag });
    return { tag };
  },

  'tag.update'(runtime, body) {
    const { name, color } = existing(runtime);
    runtime.save({ name: body.name ?? name, color: body.color ?? color });
    runtime.emit('tag.updated', { ...tagJson(runtime.row) });
    return null;
  },

  'tag.delete'(runtime) {
    existing(runtime);
    runtime.save({ deleted: 1 });
    runtime.emit('tag.updated', { ...tagJson(runtime.row), deleted: true });
    clear(runtime);
    return null;
  },

  'tag.clear'(runtime) {
    clear(runtime);
    return null;
  },

  'tag.attached'(runtime, { conversationId }) {
    const { row, actor, reads } = runtime;
    if (row.deleted === 1) {
      drop(runtime, conversationId);
    } else if (reads.tagged(actor.key, conversationId) === null) {
      const key = runtime.nextKey();
      runtime.change(taggedConversations.insert({ key, tag: actor.key, conversation: conversationId }));
    }
    return null;
  },

  'tag.detached'(runtime, { conversationId }) {
    const tagged = runtime.reads.tagged(runtime.actor.key, conversationId);
    if (tagged !== null) runtime.change(taggedConversations.remove(tagged.key));
    return null;
  },
};

/** Conversations that one command tells. */
const clearedAtOnce = 256;

/** Has the next conversations drop the tag; the rest are for a command that is told behind them. */
function clear(runtime: TagRuntime): void {
  const { actor, reads } = runtime;
  const tagged = reads.allTagged(actor.key, clearedAtOnce);
  for (const { key, conversation } of tagged) {
    drop(runtime, conversation);
    runtime.change(taggedConversations.remove(key));
  }
  if (tagged.length === clearedAtOnce) runtime.tell(tagActor(actor.id), 'tag.clear', null);
}

const drop = (runtime: TagRuntime, conversation: string): void =>
  runtime.tell(conversationActor(conversation), 'conversation.drop-tag', { tagId: runtime.actor.id });

/** @throws Failure `not_found` for tags that were never created, or deleted */
function existing({ row, actor }: TagRuntime): Readonly<TagRow> {
  if (row.deleted === 1) throw new Failure('not_found', `There is no tag ${actor.id}.`);
  return row;
}

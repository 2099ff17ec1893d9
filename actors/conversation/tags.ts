import { Failure } from '../errors.ts';
import { objectAt } from '../json.ts';
import type { JsonObject } from '../representation.ts';
import { tagActor } from '../tag/contract.ts';
import { type ConversationRuntime, presentConversation } from './memory.ts';
import { changeMetadata } from './metadata.ts';
import { withTags } from './representation.ts';

/**
 * Puts a tag on the conversation, and tells the tag. Whether the tag is there is looked up here and now; if that has
 * not heard of a deletion yet, the tag's answer to what it is told is `conversation.drop-tag`.
 * @throws Failure `not_found`, `metadata_too_large`
 */
export function putTag(runtime: ConversationRuntime, tagId: string): void {
  presentConversation(runtime);
  mustBeTag(runtime, tagId);
  if (hasTag(runtime, tagId)) return;
  changeTags(runtime, (tags) => ({ ...tags, [tagId]: '' }));
  runtime.tell(tagActor(tagId), 'tag.attached', { conversationId: runtime.actor.id });
}

/** Takes a tag off the conversation, and tells the tag. @throws Failure `not_found` */
export function takeTagOff(runtime: ConversationRuntime, tagId: string): void {
  presentConversation(runtime);
  mustBeTag(runtime, tagId);
  if (!dropTag(runtime, tagId)) return;
  runtime.tell(tagActor(tagId), 'tag.detached', { conversationId: runtime.actor.id });
}

/** Takes off a tag that need not be told. @returns whether it was there */
export function dropTag(runtime: ConversationRuntime, tagId: string): boolean {
  if (!hasTag(runtime, tagId)) return false;
  changeTags(runtime, ({ [tagId]: _, ...others }) => others);
  return true;
}

const hasTag = ({ memory }: ConversationRuntime, tagId: string): boolean =>
  Object.hasOwn(objectAt(memory.metadata, 'tags'), tagId);

function changeTags(runtime: ConversationRuntime, change: (tags: JsonObject) => JsonObject): void {
  changeMetadata(runtime, null, (metadata) => withTags(metadata, change(objectAt(metadata, 'tags'))));
}

function mustBeTag({ reads }: ConversationRuntime, tagId: string): void {
  if (!reads.isTag(tagId)) throw new Failure('not_found', `There is no tag ${tagId}.`);
}

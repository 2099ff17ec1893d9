import type { TagColor, TagJson } from '../representation.ts';
import type { Address } from '../runtime/kind.ts';

/** The commands of a tag: type → body and result. */
export type TagCommands = {
  'tag.create': { body: { name: string; color: TagColor }; result: { tag: TagJson } };
  /** Absent = keep. @throws Failure `not_found` */
  'tag.update': { body: { name?: string; color?: TagColor }; result: null };
  /** It is gone at once, for good; the conversations that have it are told to drop it. @throws Failure `not_found` */
  'tag.delete': { body: null; result: null };
  /** A deleted tag tells the next of its conversations. */
  'tag.clear': { body: null; result: null };
  /** A conversation has got the tag. One that did not know yet that the tag is deleted is told to drop it. */
  'tag.attached': { body: { conversationId: string }; result: null };
  /** A conversation has lost the tag. */
  'tag.detached': { body: { conversationId: string }; result: null };
};

/** A tag, as somebody whom other actors tell something. */
export const tagActor = (id: string): Address<TagCommands> => ({ kind: 'tag', id });

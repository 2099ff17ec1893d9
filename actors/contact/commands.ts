import type { Handlers } from '../runtime/kind.ts';
import { type Appearance, contactActor, type ContactCommands } from './contract.ts';
import { changedFields, type ContactFields, fieldsOf } from './fields.ts';
import { erasureHandlers, expectAgain } from './erasing.ts';
import { absorbContact, endMerge, mergeContact, undoMerge } from './merge.ts';
import { contactVersions } from './tables.ts';
import { addConversation, type ContactRuntime, present, show, vanish } from './writer.ts';

export const contactHandlers: Handlers<ContactRuntime, ContactCommands> = {
  'contact.create'(runtime, { fields, joining = [] }) {
    if (!runtime.actor.isNew) return {};
    begin(runtime, changedFields({}, fields), {});
    for (const id of joining) runtime.tell(contactActor(id), 'contact.merge', { into: runtime.actor.id });
    return {};
  },

  'contact.appear'(runtime, appearance) {
    const { conversationId, source } = appearance;
    if (runtime.value === 'erasing') expectAgain(runtime, conversationId, source);
    if (!runtime.actor.isNew && runtime.value !== 'erased') return {};
    addConversation(runtime, conversationId, source);
    begin(runtime, personIn(appearance), { [conversationId]: source });
    return {};
  },

  'contact.update'(runtime, { fields }) {
    const before = present(runtime);
    const after = changedFields(fieldsOf(before), fields);
    if (JSON.stringify(after) === JSON.stringify(fieldsOf(before))) return {};
    show(runtime, { type: 'change' }, after, before.conversations);
    return {};
  },

  'contact.delete'(runtime) {
    present(runtime);
    // It keeps its conversations: who asks to be erased later finds them.
    vanish(runtime, { type: 'delete' }, null);
    return {};
  },

  'contact.merge': mergeContact,
  'contact.absorb': absorbContact,
  'contact.absorbed': endMerge,
  'contact.give-back': undoMerge,
  ...erasureHandlers,

  'contact.prune'(runtime, { before }) {
    for (const key of runtime.reads.outdated(runtime.actor.key, before)) runtime.change(contactVersions.remove(key));
    return null;
  },
};

/** Avatars are addresses; a longer one is none. */
const longestAvatar = 2_000;

const personIn = ({ displayName, avatarUrl = '' }: Appearance): ContactFields => ({
  display_name: displayName,
  ...(avatarUrl !== '' && avatarUrl.length <= longestAvatar && { avatar_url: avatarUrl }),
});

/** The contact is there from now on. */
function begin(runtime: ContactRuntime, fields: ContactFields, conversations: Record<string, string>): void {
  runtime.save({ created_at: runtime.now });
  show(runtime, { type: 'create' }, fields, conversations);
}

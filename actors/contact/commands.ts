import { Failure } from '../errors.ts';
import { parseJson } from '../json.ts';
import type { ContactJson } from '../representation.ts';
import type { Handlers, Runtime } from '../runtime/kind.ts';
import type { Appearance, ContactCommands } from './contract.ts';
import { changedFields, type ContactFields, fieldsOf, contactJson } from './fields.ts';
import { nameOrder } from './name-order.ts';
import type { ContactReads } from './reads.ts';
import { contactConversations, type ContactRow, contactVersions } from './tables.ts';

export type ContactRuntime = Runtime<ContactRow, null, ContactReads, 'contact'>;

export const contactHandlers: Handlers<ContactRuntime, ContactCommands> = {
  'contact.create'(runtime, { fields }) {
    if (runtime.actor.isNew) begin(runtime, changedFields({}, fields), {});
    return {};
  },

  'contact.appear'(runtime, appearance) {
    if (!runtime.actor.isNew) return {};
    const { conversationId, source } = appearance;
    addConversation(runtime, conversationId, source);
    begin(runtime, personIn(appearance), { [conversationId]: source });
    return {};
  },

  'contact.update'(runtime, { fields }) {
    const before = present(runtime);
    const after = changedFields(fieldsOf(before), fields);
    if (JSON.stringify(after) === JSON.stringify(fieldsOf(before))) return {};
    runtime.step({ type: 'change' });
    show(runtime, after, before.conversations);
    return {};
  },

  'contact.delete'(runtime) {
    present(runtime);
    runtime.step({ type: 'delete' });
    for (const { key } of runtime.reads.conversations(runtime.actor.key)) {
      runtime.change(contactConversations.remove(key));
    }
    vanish(runtime);
    return {};
  },

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

/** What the contact shows now. @throws Failure `not_found` when it was never made, or is gone */
function present(runtime: ContactRuntime): ContactJson {
  const { row, reads, actor } = runtime;
  if (row.sort === null) throw new Failure('not_found', `There is no contact ${actor.id}.`);
  return parseJson(reads.shown(row.version)) as ContactJson;
}

function begin(runtime: ContactRuntime, fields: ContactFields, conversations: Record<string, string>): void {
  runtime.step({ type: 'create' });
  runtime.save({ created_at: runtime.now });
  show(runtime, fields, conversations);
}

function addConversation(runtime: ContactRuntime, conversation: string, source: string): void {
  const { key: contact } = runtime.actor;
  runtime.change(contactConversations.insert({ key: runtime.nextKey(), contact, conversation, source }));
}

/** Makes a version of what the contact is now, and tells it. */
function show(runtime: ContactRuntime, fields: ContactFields, conversations: Record<string, string>): void {
  const { actor, row } = runtime;
  const { display_name = null, title = null } = fields;
  const sort = nameOrder(fields.display_name);
  keepVersion(runtime, sort, contactJson(actor.id, fields, conversations, row.created_at));
  runtime.save({ sort, display_name, title });
}

/** Takes the contact out of every list, and tells that it is gone. */
function vanish(runtime: ContactRuntime): void {
  keepVersion(runtime, null, { id: runtime.actor.id, deleted: true });
  runtime.save({ sort: null, display_name: null, title: null });
}

function keepVersion(runtime: ContactRuntime, sort: string | null, shown: object): void {
  const key = runtime.nextKey();
  runtime.change(contactVersions.insert({ key, contact: runtime.actor.key, sort, shown: JSON.stringify(shown) }));
  runtime.save({ version: key });
  runtime.emit('contact.updated', { v: key });
}

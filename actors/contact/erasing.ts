import { nothingErased, type ContactContext, type Erased, type Erasure, type ErasureOf } from '#machines/contact.ts';
import { conversationActor } from '../conversation/contract.ts';
import { Failure } from '../errors.ts';
import { releaseFiles } from '../media/contract.ts';
import type { Handlers } from '../runtime/kind.ts';
import { contactActor, type ContactCommands } from './contract.ts';
import { forgetImportLetters } from './import-letters.ts';
import { contactMerges, contactVersions } from './tables.ts';
import { addConversation, type ContactRuntime, removeConversations, shownWhenErased, vanish } from './writer.ts';

type ErasureHandlers = Pick<
  Handlers<ContactRuntime, ContactCommands>,
  'contact.erase' | 'contact.erase-part' | 'contact.erase-versions' | 'contact.parts-found' | 'contact.part-erased'
>;

/**
 * Erasing a person: the contact forgets what it ever showed, tells its conversations and the contacts that became part of it
 * to erase theirs, and is erased when all of them have said that they are (decision 36).
 */
export const erasureHandlers: ErasureHandlers = {
  'contact.erase'(runtime) {
    const { value } = runtime;
    if (!erasable.includes(value as string)) throw notThere(runtime.actor.id);
    if (value !== 'erasing') begin(runtime, null);
    return erasureOf(runtime);
  },

  'contact.erase-part'(runtime, { partOf }) {
    // One that came back meanwhile is somebody else; one that is erased already needs nothing.
    if (runtime.value === 'merged') begin(runtime, partOf);
    else report(runtime, partOf, nothingErased);
    return {};
  },

  'contact.erase-versions'(runtime) {
    eraseVersions(runtime);
    return {};
  },

  'contact.parts-found'(runtime, { erasure, parts }) {
    runtime.step({ type: 'parts.found', erasure, parts });
    return {};
  },

  'contact.part-erased'(runtime, { erasure, erased }) {
    const { effects } = runtime.step({ type: 'part.erased', erasure, erased });
    if (effects.some(({ type }) => type === 'report')) end(runtime);
    return {};
  },
};

/** The states in which somebody may ask for it: one that was merged is erased with the one that it is part of. */
const erasable: readonly string[] = ['active', 'deleted', 'erasing', 'erased'];

const notThere = (id: string): Failure => new Failure('not_found', `There is no contact ${id}.`);

function begin(runtime: ContactRuntime, partOf: ErasureOf | null): void {
  const { reads, actor, row } = runtime;
  const conversations = reads.conversations(actor.key);
  const merged = reads.merges(actor.key);
  // Its versions are a part as well: they may be many.
  const parts = conversations.length + merged.length + 1;
  vanish(runtime, { type: 'erase', parts, partOf }, row.merged_into);
  const own = erasureOf(runtime);
  // Told before the conversations: whoever writes after those are erased finds a contact that is being erased too.
  for (const { key, id } of merged) {
    runtime.change(contactMerges.remove(key));
    runtime.tell(contactActor(id), 'contact.erase-part', { partOf: own });
  }
  for (const { conversation } of conversations) {
    runtime.tell(conversationActor(conversation), 'conversation.erase', { partOf: own });
  }
  removeConversations(runtime);
  runtime.eraseLetters();
  eraseVersions(runtime);
}

/** What it showed, a part at a time. */
function eraseVersions(runtime: ContactRuntime): void {
  const own = erasureOf(runtime);
  const shown = shownWhenErased(runtime.actor.id);
  const versions = runtime.reads.versionsBut(runtime.actor.key, shown);
  for (const { key } of versions) runtime.change(contactVersions.update(key, { sort: null, shown }));
  runtime.signal('erased');
  const texts = versions.map((version) => version.shown);
  forgetImportLetters(runtime, texts);
  releaseFiles(runtime, own, texts.join());
  if (versions.length > 0) runtime.tell(contactActor(runtime.actor.id), 'contact.erase-versions', {});
  else report(runtime, own, nothingErased);
}

/** All parts have said that they are erased. */
function end(runtime: ContactRuntime): void {
  const { partOf, erased } = lastErasure(runtime);
  if (partOf !== null) report(runtime, partOf, erased);
  // Whoever waits for it looks again, though no event tells it.
  else runtime.signal('feed');
  for (const { conversation } of runtime.reads.conversations(runtime.actor.key)) {
    runtime.tell(conversationActor(conversation), 'conversation.introduce', null);
  }
  removeConversations(runtime);
}

/** The person writes again while the erasure is under way: the conversation is asked to say so once more when it is over. */
export function expectAgain(runtime: ContactRuntime, conversation: string, source: string): void {
  const isExpected = runtime.reads
    .conversations(runtime.actor.key)
    .some((known) => known.conversation === conversation);
  if (!isExpected) addConversation(runtime, conversation, source);
}

const report = (runtime: ContactRuntime, { contact, erasure }: ErasureOf, erased: Erased): void =>
  runtime.tell(contactActor(contact), 'contact.part-erased', { erasure, erased });

const erasureOf = (runtime: ContactRuntime): ErasureOf => ({
  contact: runtime.actor.id,
  erasure: lastErasure(runtime).number,
});

const lastErasure = ({ row }: ContactRuntime): Erasure => (JSON.parse(row.context) as ContactContext).erasure!;

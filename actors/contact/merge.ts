import type { ContactEvent } from '#machines/contact.ts';
import { Failure } from '../errors.ts';
import { parseJson } from '../json.ts';
import { excessOf } from '../metadata.ts';
import type { ContactJson, JsonObject } from '../representation.ts';
import { contactActor, type ContactCommands, type MergedContact } from './contract.ts';
import { contactJson, type ContactFields, fieldsOf } from './fields.ts';
import { contactMerges } from './tables.ts';
import { mergesOf } from './whereabouts.ts';
import { addConversation, type ContactRuntime, present, removeConversations, show, vanish } from './writer.ts';

/** Conversations of a contact that can be merged into another: they go in one command. */
const mostConversations = 1_000;
/** Characters of earlier merges that go with it: the newest. */
const mostHistory = 256 * 1024;

type Handler<T extends keyof ContactCommands> = (
  runtime: ContactRuntime,
  body: ContactCommands[T]['body'],
) => ContactCommands[T]['result'];

/** From here on it is part of the other one: what follows is told, certainly and in order. */
export const mergeContact: Handler<'contact.merge'> = (runtime, { into }) => {
  const { row, actor, reads } = runtime;
  if (row.merged_into === into) return { merges: mergesOf(row) };
  const contact = present(runtime);
  if (into === actor.id) throw new Failure('invalid_request', 'A contact can not be merged into itself.');
  if (Object.keys(contact.conversations).length > mostConversations) {
    const problem = `It has more than ${mostConversations} conversations: merge the other contact into it instead.`;
    throw new Failure('invalid_request', problem);
  }
  const { merges } = vanish(runtime, { type: 'merge', into }, into);
  const history = newest(reads.merged(actor.key));
  pass(runtime, into, { from: actor.id, merges, path: [actor.id], contact, history });
  return { merges };
};

/**
 * Takes in another contact. One that is part of a third contact itself passes it on to that; where this goes in a
 * circle, all of them are one, and the one with the smallest id comes back for the others.
 */
export const absorbContact: Handler<'contact.absorb'> = (runtime, merged) => {
  const { row } = runtime;
  const { from, merges } = merged;
  if (row.sort !== null) takeIn(runtime, { type: 'change' }, present(runtime), merged);
  else if (row.merged_into !== null) goOn(runtime, row.merged_into, merged);
  else runtime.tell(contactActor(from), 'contact.give-back', { merges });
  return {};
};

function goOn(runtime: ContactRuntime, into: string, { cycle: found, ...merged }: MergedContact): void {
  const { id } = runtime.actor;
  // The circle that this one was to come back for may be broken by now: then the way begins anew.
  const path = found === undefined || found.includes(into) ? merged.path : [];
  const cycle = found?.includes(into) ? found : cycleOf(path, into, id);
  const staying = cycle?.toSorted()[0];
  if (cycle === null || staying === undefined) pass(runtime, into, { ...merged, path: [...path, id] });
  else if (staying === id) takeIn(runtime, { type: 'revive' }, latest(runtime), merged);
  else pass(runtime, staying, { ...merged, path: [], cycle });
}

const pass = (runtime: ContactRuntime, to: string, merged: MergedContact): void =>
  runtime.tell(contactActor(to), 'contact.absorb', merged);

/** The contacts that are part of each other, when the way leads back to one that it came through; else null. */
function cycleOf(path: readonly string[], into: string, id: string): string[] | null {
  const start = path.indexOf(into);
  return start < 0 ? null : [...path.slice(start), id];
}

export const endMerge: Handler<'contact.absorbed'> = (runtime, { merges }) => {
  const { effects } = runtime.step({ type: 'absorbed', merges });
  if (effects.some(({ type }) => type === 'letGo')) {
    removeConversations(runtime);
    // Whoever waits for it looks again, though no event tells it.
    runtime.signal('feed');
  }
  return {};
};

export const undoMerge: Handler<'contact.give-back'> = (runtime, { merges }) => {
  const contact = latest(runtime);
  show(runtime, { type: 'given.back', merges }, fieldsOf(contact), contact.conversations);
  return {};
};

/** What it was before it was merged, with the conversations that it still has. */
function latest({ reads, actor, row }: ContactRuntime): ContactJson {
  const before = reads.lastShown(actor.key);
  const fields = before === null ? {} : fieldsOf(parseJson(before) as ContactJson);
  const own = reads.conversations(actor.key).map(({ conversation, source }) => [conversation, source]);
  return contactJson(actor.id, fields, Object.fromEntries(own), row.created_at);
}

/** Its own merge may have led back to it: then it stays as it is, or as it was. */
function takeIn(runtime: ContactRuntime, event: ContactEvent, own: ContactJson, merged: MergedContact): void {
  if (merged.from !== runtime.actor.id) unite(runtime, event, own, merged);
  else if (event.type === 'revive') show(runtime, event, fieldsOf(own), own.conversations);
}

/** What this one lacks it takes from the other, which is kept as it was; conversations are both of theirs. */
function unite(runtime: ContactRuntime, event: ContactEvent, own: ContactJson, merged: MergedContact): void {
  const { from, merges, contact, history } = merged;
  const added = Object.entries(contact.conversations).filter(([id]) => !Object.hasOwn(own.conversations, id));
  for (const [id, source] of added) addConversation(runtime, id, source);
  for (const each of [...history, contact]) keepMerged(runtime, each);
  const conversations = { ...own.conversations, ...Object.fromEntries(added) };
  show(runtime, event, filledUp(fieldsOf(own), fieldsOf(contact)), conversations);
  runtime.tell(contactActor(from), 'contact.absorbed', { merges });
}

function keepMerged(runtime: ContactRuntime, contact: ContactJson): void {
  if (contact.id === runtime.actor.id) return;
  const row = { key: runtime.nextKey(), contact: runtime.actor.key, shown: JSON.stringify(contact) };
  runtime.change(contactMerges.insert(row));
}

/** The fields with what they lack of others. An object that would be too large with theirs stays as it is. */
export function filledUp(fields: ContactFields, others: ContactFields): ContactFields {
  let filled = { ...others, ...fields, ...treesOf(fields) };
  for (const name of ['address', 'via', 'metadata'] as const) {
    const tried = { ...filled, [name]: { ...others[name], ...fields[name] } };
    if (!isTooLarge(tried)) filled = tried;
  }
  return fieldsOf(filled as JsonObject);
}

const treesOf = ({ via = {}, address = {}, metadata = {} }: ContactFields) => ({ via, address, metadata });

const isTooLarge = ({ via = {}, metadata = {} }: ContactFields): boolean => excessOf({ via, metadata }) !== null;

/** The newest merges that may go with a contact, oldest first. @param newestFirst JSON texts */
function newest(newestFirst: Iterable<string>): ContactJson[] {
  const taken: ContactJson[] = [];
  let size = 0;
  for (const text of newestFirst) {
    size += text.length;
    if (size > mostHistory) break;
    taken.push(parseJson(text) as ContactJson);
  }
  return taken.reverse();
}

import type { ContactContext, ContactEvent } from '#machines/contact.ts';
import { Failure } from '../errors.ts';
import { parseJson } from '../json.ts';
import type { ContactJson } from '../representation.ts';
import type { Runtime } from '../runtime/kind.ts';
import { type ContactFields, contactJson } from './fields.ts';
import { nameOrder } from './name-order.ts';
import type { ContactReads } from './reads.ts';
import { contactConversations, type ContactRow, contactVersions } from './tables.ts';

export type ContactRuntime = Runtime<ContactRow, null, ContactReads, 'contact'>;

/** What the contact shows now. @throws Failure `not_found` when it was never made, or is gone */
export function present({ row, reads, actor }: ContactRuntime): ContactJson {
  if (row.sort === null) throw new Failure('not_found', `There is no contact ${actor.id}.`);
  return parseJson(reads.shown(row.version)) as ContactJson;
}

export function addConversation(runtime: ContactRuntime, conversation: string, source: string): void {
  const { key: contact } = runtime.actor;
  runtime.change(contactConversations.insert({ key: runtime.nextKey(), contact, conversation, source }));
}

export function removeConversations(runtime: ContactRuntime): void {
  for (const { key } of runtime.reads.conversations(runtime.actor.key)) {
    runtime.change(contactConversations.remove(key));
  }
}

/** Steps the machine to where the contact is there, and shows this. */
export function show(
  runtime: ContactRuntime,
  event: ContactEvent,
  fields: ContactFields,
  conversations: Record<string, string>,
): void {
  const { actor, row } = runtime;
  const { display_name = null, title = null } = fields;
  const shown = JSON.stringify(contactJson(actor.id, fields, conversations, row.created_at));
  announce(runtime, event, { sort: nameOrder(fields.display_name), display_name, title, merged_into: null }, shown);
}

/** What a contact shows, and ever showed, once it is erased: JSON text. */
export const shownWhenErased = (id: string): string => JSON.stringify({ id, deleted: true, erased: true });

/** Steps the machine to where the contact is gone. @param into whom it is part of from then on */
export function vanish(runtime: ContactRuntime, event: ContactEvent, into: string | null): ContactContext {
  const { id } = runtime.actor;
  const gone = JSON.stringify({ id, deleted: true, ...(into !== null && { merged_into: into }) });
  const shown = event.type === 'erase' ? shownWhenErased(id) : gone;
  return announce(runtime, event, { sort: null, display_name: null, title: null, merged_into: into }, shown);
}

type Listed = Pick<ContactRow, 'sort' | 'display_name' | 'title' | 'merged_into'>;

/** Makes a version of what the contact shows from now on, and tells it, where the machine says so. */
function announce(runtime: ContactRuntime, event: ContactEvent, listed: Listed, shown: string): ContactContext {
  const { effects, context } = runtime.step(event);
  if (effects.some(({ type }) => type === 'announce')) {
    const version = { key: runtime.nextKey(), contact: runtime.actor.key, sort: listed.sort };
    runtime.change(contactVersions.insert({ ...version, shown }));
    runtime.save({ version: version.key, ...listed });
    runtime.emit('contact.updated', { v: version.key });
  }
  return context as ContactContext;
}

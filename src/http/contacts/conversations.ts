import { z } from 'zod';
import { Failure, type Problem } from '#actors/errors.ts';
import { parseJson } from '#actors/json.ts';
import type { ContactJson } from '#actors/representation.ts';
import type { Services } from '#src/services.ts';
import { awaited } from '../awaited.ts';
import { uuid } from '../schemas.ts';
import { foundContact } from './found.ts';

/** Each of them is looked up, with the contact that has it. */
const mostConversations = 100;
/** How long the contacts of new conversations are waited for, in ms. */
const patience = 10_000;

type Said = Record<string, string>;

/** The conversations of a contact that is to be made, as contacts show them. */
export const saidConversations = z
  .record(z.string(), z.string())
  .superRefine((said, context) => {
    const ids = Object.keys(said);
    const tooMany = `must be at most ${mostConversations}`;
    if (ids.length > mostConversations) context.addIssue({ code: 'custom', message: tooMany });
    for (const id of ids) {
      if (!uuid.safeParse(id).success) context.addIssue({ code: 'custom', path: [id], message: 'must be a UUID' });
    }
  })
  .transform((said): Said => Object.fromEntries(Object.entries(said).map(([id, source]) => [id.toLowerCase(), source])))
  .meta({
    type: 'object',
    additionalProperties: { type: 'string' },
    maxProperties: mostConversations,
    description: 'Conversation to source. The contacts that they were given become part of the new one.',
  });

/**
 * The contacts that have these conversations, each of them with no others: they are the same person, and are to become
 * part of the contact that has them from now on. A conversation that is new is given one first.
 * @param contact the one that is to have them
 * @throws Failure `invalid_request` that names the conversations which it can not have
 */
export async function contactsOf(services: Services, contact: string, said: Said): Promise<string[]> {
  refuse(Object.entries(said).flatMap(([id, source]) => problemOf(services, id, source)));
  const ids = Object.keys(said);
  const owners = await awaited(services, () => ownersOf(services, ids), patience);
  const others = [...new Set(owners.values())].filter((owner) => owner !== contact);
  const kept = new Set(others.filter((owner) => conversationsOf(services, owner).some((id) => !(id in said))));
  refuse([...owners].flatMap(([id, owner]) => (kept.has(owner) ? problem(id, ofAnother(owner)) : [])));
  return others;
}

/** Whether contacts are part of others, or gone, by now. */
export const haveJoined = ({ store }: Services, contacts: readonly string[]): boolean =>
  contacts.every((id) => {
    const { end, underWay } = store.contacts.whereabouts(id);
    return end !== id && !underWay;
  });

/** Conversation to its contact; null: they are not known yet. */
function ownersOf({ store }: Services, ids: readonly string[]): Map<string, string> | null {
  const found = ids.map((id) => [id, store.contacts.ownerOf(id)] as const);
  refuse(found.flatMap(([id, owner]) => (owner?.end === null && !owner.underWay ? problem(id, deleted) : [])));
  const ends = found.flatMap(([id, owner]) => (owner?.end && !owner.underWay ? [[id, owner.end] as const] : []));
  return ends.length === ids.length ? new Map(ends) : null;
}

const conversationsOf = (services: Services, contact: string): string[] =>
  Object.keys((parseJson(foundContact(services, contact).text) as ContactJson).conversations);

function problemOf({ store }: Services, id: string, source: string): Problem[] {
  const conversation = store.conversations.find(id);
  if (conversation === null) return problem(id, 'there is no such conversation');
  if (store.conversations.stored(id)?.sourceConversationId === '') return problem(id, 'its person was erased');
  const actual = conversation.channel.source;
  return actual === source ? [] : problem(id, `its source is ${actual}`);
}

const problem = (id: string, text: string): Problem[] => [{ path: `conversations.${id}`, problem: text }];
const deleted = 'its contact was deleted, and it is given no other one';
const ofAnother = (owner: string): string => `it is of the contact ${owner}, which has others too: use contacts.merge`;

function refuse(details: Problem[]): void {
  if (details.length === 0) return;
  const named = details.map(({ path, problem }) => `${path}: ${problem}`).join('; ');
  throw new Failure('invalid_request', `Nothing was made: ${named}.`, { details });
}

import { z } from 'zod';
import { Failure } from '#actors/errors.ts';
import type { Services } from '#src/services.ts';
import { awaited } from '../awaited.ts';
import { exampleIds } from '../examples.ts';
import { defineOperation, ok } from '../operation.ts';
import { uuid } from '../schemas.ts';
import { foundContact } from './found.ts';
import { keptById } from './kept.ts';
import { contactSchema } from './schemas.ts';

/** How long the answer waits for the merge, in ms; the merge itself goes on. */
const patience = 10_000;

export const mergeContacts = defineOperation({
  path: '/contacts.merge',
  summary: 'Make a contact part of another one, which takes what it lacks from it.',
  auth: 'core',
  feature: 'contacts',
  waits: true,
  request: z
    .object({ source_id: uuid, destination_id: uuid })
    .refine(({ source_id, destination_id }) => source_id !== destination_id, {
      error: 'must be another contact than source_id',
      path: ['destination_id'],
    }),
  example: { source_id: exampleIds.contact, destination_id: exampleIds.otherContact },
  responses: { 200: contactSchema },
  answers: { 200: { description: 'The contact that both are now, with `merge_history`.' } },
  errors: ['feature_disabled', 'not_found'],
  async handle({ commands, services }, { source_id, destination_id }) {
    foundContact(services, destination_id);
    const { merges } = await commands.send('contact', source_id, 'contact.merge', { into: destination_id });
    const merged = await awaited(services, () => mergedInto(services, source_id, merges), patience);
    // Both may be merged into each other at once: then one of them is there, whichever.
    const { end } = services.store.contacts.whereabouts(destination_id);
    if (merged === source_id && end !== merged) throw goneMeanwhile();
    return ok(foundContact(services, merged));
  },
  secret: keptById,
});

/** What was deleted takes in nothing, and what it had taken in is gone with it. */
const goneMeanwhile = (): Failure => new Failure('not_found', 'The destination was deleted meanwhile.');

/**
 * The contact that one is part of, once everything on the way is absorbed; null: not yet.
 * @throws Failure `not_found` when that was deleted
 */
function mergedInto({ store }: Services, source: string, merges: number): string | null {
  const { end, underWay } = store.contacts.whereabouts(source, merges);
  if (underWay) return null;
  if (end === null) throw goneMeanwhile();
  return end;
}

import { z } from 'zod';
import type { Erased, ErasureOf } from '#machines/contact.ts';
import type { CommandSender } from '#actors/commands.ts';
import { Failure } from '#actors/errors.ts';
import type { LongReads } from '#src/runtime/long-reads.ts';
import type { Services } from '#src/services.ts';
import { awaited, takesLong } from '../awaited.ts';
import { exampleIds } from '../examples.ts';
import { defineOperation, ok } from '../operation.ts';
import { uuid } from '../schemas.ts';

/** How long the answer waits for the erasure, in ms; the erasure itself goes on. */
const patience = 30_000;
/** In one go of the index of filters: less than a long read may take. In ms. */
const slice = 1_000;

const count = z.int().nonnegative();

export const eraseContact = defineOperation({
  path: '/contacts.erase',
  summary: 'Erase a person: contact, messages, history, search index and files, for good.',
  auth: 'core',
  feature: 'contacts',
  waits: true,
  request: z.object({ id: uuid }),
  example: { id: exampleIds.contact },
  responses: {
    200: z
      .object({
        contacts: count.describe('The contact, and those that became part of it.'),
        conversations: count,
        messages: count,
        files: count.describe('Of those that their messages show: the ones that nothing else shows.'),
      })
      .meta({ id: 'ErasedContact' }),
  },
  answers: { 200: { description: 'Everything is erased: so much.' } },
  errors: ['feature_disabled', 'not_found'],
  async handle({ commands, services, longReads }, { id }) {
    const erasure = await commands.send('contact', id, 'contact.erase', null);
    await goOn(commands, services, id);
    const erased = await awaited(services, () => erasedBy(services, erasure), patience);
    await indexFollowed(services, longReads);
    services.rawErasing.look();
    return ok(erased);
  },
});

/** Has steps that failed done again. One that fails again stays what it was, and is told of. */
async function goOn(commands: Pick<CommandSender, 'redrive'>, { store }: Services, contact: string): Promise<void> {
  for (const { actor, commandId } of store.contacts.stuckSteps(contact)) {
    await commands.redrive(actor, commandId).catch((error: unknown) => {
      if (!(error instanceof Failure) || error.code !== 'internal') throw error;
    });
  }
}

/** What an erasure took, once it is over; null: it is under way. @throws Failure `internal` when it does not go on */
function erasedBy({ store }: Services, { contact, erasure }: ErasureOf): Erased | null {
  const [stuck] = store.contacts.stuckSteps(contact);
  if (stuck === undefined) return store.contacts.erasedBy(contact, erasure);
  const problem = `A step of it is the dead letter ${stuck.commandId}`;
  throw new Failure('internal', `The erasure stands still. ${problem}: asked for again, it goes on from there.`);
}

/** The index of filters follows by itself, a moment later: whoever is told that all is gone finds it gone. */
async function indexFollowed({ clock }: Services, longReads: LongReads): Promise<void> {
  const until = clock.elapsed() + patience;
  while (!(await longReads.followErased(slice))) {
    if (clock.elapsed() > until) throw takesLong();
  }
}

import { z } from 'zod';
import { changedFields, saysNothing } from '#actors/contact/fields.ts';
import { Failure } from '#actors/errors.ts';
import { importedContactId } from '#actors/ids.ts';
import { JsonText, parseJson } from '#actors/json.ts';
import type { JsonObject } from '#actors/representation.ts';
import { awaited } from '../awaited.ts';
import { created, defineOperation, type SecretAnswer } from '../operation.ts';
import { contactObject, exampleContact, saidFields } from './fields.ts';
import { contactSchema } from './schemas.ts';

const mostContacts = 10_000;
/** Bytes of the body: 10,000 contacts of some 800 bytes. */
const bodyLimit = 8 * 1024 * 1024;
/** Characters of JSON that go in one command. */
const partSize = 256 * 1024;
/** How long the answer waits for the contacts, in ms; the import itself goes on. */
const patience = 30_000;

/** Only ids are kept for a repetition: a person's data stands in the contact's own rows and nowhere else. */
const keptByIds: SecretAnswer = {
  async strip(_, body) {
    return { ids: (body as { data: { id: string }[] }).data.map(({ id }) => id) };
  },
  async restore({ store }, stripped) {
    const found = (stripped as { ids: string[] }).ids.map((id) => store.contacts.find(id));
    // Those that were deleted since are left out.
    return { data: found.filter((contact) => contact !== null).map(({ text }) => parseJson(text)) };
  },
};

export const importContacts = defineOperation({
  path: '/contacts.import',
  summary: 'Make up to 10,000 contacts, all of them or none.',
  auth: 'core',
  feature: 'contacts',
  waits: true,
  bodyLimit,
  request: z
    .array(contactObject.refine((said) => !saysNothing(saidFields(said)), 'must hold at least one field of a contact'))
    .min(1)
    .max(mostContacts),
  example: [exampleContact, { display_name: 'Ann' }],
  responses: { 201: z.object({ data: z.array(contactSchema) }).describe('The contacts, in the order of the request.') },
  errors: ['feature_disabled', 'metadata_too_large'],
  async handle({ commands, newId, services }, body) {
    const contacts = body.map(saidFields);
    assertAllFit(contacts);
    const id = newId();
    const parts = partsOf(contacts);
    await Promise.all(
      parts.map((said, part) => commands.send('contact-import', id, 'import.add', { part, contacts: said })),
    );
    await commands.send('contact-import', id, 'import.commit', { parts: parts.length });
    await awaited(services, () => services.store.contactImports.isDone(id) || null, patience);
    const made = contacts.map((_, index) => services.store.contacts.find(importedContactId(id, index)));
    const texts = made.filter((contact) => contact !== null).map(({ text }) => text);
    return created(new JsonText<{ data: z.output<typeof contactSchema>[] }>(`{"data":[${texts.join(',')}]}`));
  },
  secret: keptByIds,
});

/** What an actor would refuse is refused before anything is stored. @throws Failure naming the first that does not fit */
function assertAllFit(contacts: readonly JsonObject[]): void {
  for (const [index, said] of contacts.entries()) {
    try {
      changedFields({}, said);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      const details = [{ path: `[${index}]`, problem: error.message }];
      throw new Failure(error.code, 'Nothing was made: see details.', { details });
    }
  }
}

/** The contacts in parts that fit into a command each. */
function partsOf(contacts: readonly JsonObject[]): JsonObject[][] {
  const parts: JsonObject[][] = [];
  let size = partSize;
  for (const said of contacts) {
    const length = JSON.stringify(said).length;
    if (size + length > partSize) {
      parts.push([]);
      size = 0;
    }
    parts.at(-1)!.push(said);
    size += length;
  }
  return parts;
}

import type { z } from 'zod';
import { saysNothing } from '#actors/contact/fields.ts';
import { awaited } from '../awaited.ts';
import { created, defineOperation } from '../operation.ts';
import { contactsOf, haveJoined, saidConversations } from './conversations.ts';
import { contactObject, exampleContact, saidFields } from './fields.ts';
import { keptById } from './kept.ts';
import { contactSchema } from './schemas.ts';

/** How long the answer waits for what it shows, in ms. */
const patience = 10_000;

const saysSomething = (said: z.output<typeof contactObject> & { conversations?: object | undefined }): boolean =>
  !saysNothing(saidFields(said)) || Object.keys(said.conversations ?? {}).length > 0;

export const createContact = defineOperation({
  path: '/contacts.create',
  summary: 'Make a contact of at least one field.',
  auth: 'core',
  feature: 'contacts',
  waits: true,
  request: contactObject
    .extend({ conversations: saidConversations.optional() })
    .refine(saysSomething, 'must hold at least one field of a contact')
    .meta({ minProperties: 1 }),
  example: exampleContact,
  responses: { 201: contactSchema },
  errors: ['feature_disabled', 'metadata_too_large'],
  async handle({ commands, newId, services }, { conversations = {}, ...said }) {
    const id = newId();
    const joining = await contactsOf(services, id, conversations);
    await commands.send('contact', id, 'contact.create', { fields: saidFields(said), joining });
    const look = () => (haveJoined(services, joining) ? services.store.contacts.find(id) : null);
    return created(await awaited(services, look, patience));
  },
  secret: keptById,
});

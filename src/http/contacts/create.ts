import { saysNothing } from '#actors/contact/fields.ts';
import { awaited } from '../awaited.ts';
import { created, defineOperation } from '../operation.ts';
import { contactObject, exampleContact, saidFields } from './fields.ts';
import { keptById } from './kept.ts';
import { contactSchema } from './schemas.ts';

/** How long the answer waits for what it shows, in ms. */
const patience = 10_000;

export const createContact = defineOperation({
  path: '/contacts.create',
  summary: 'Make a contact of at least one field.',
  auth: 'core',
  feature: 'contacts',
  request: contactObject
    .refine((said) => !saysNothing(saidFields(said)), 'must hold at least one field of a contact')
    .meta({ minProperties: 1 }),
  example: exampleContact,
  responses: { 201: contactSchema },
  errors: ['feature_disabled', 'metadata_too_large'],
  async handle({ commands, newId, services }, said) {
    const id = newId();
    await commands.send('contact', id, 'contact.create', { fields: saidFields(said) });
    return created(await awaited(services, () => services.store.contacts.find(id), patience));
  },
  secret: keptById,
});

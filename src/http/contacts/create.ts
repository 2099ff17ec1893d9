import { saysNothing } from '#actors/contact/fields.ts';
import { created, defineOperation } from '../operation.ts';
import { contactObject, exampleContact, saidFields } from './fields.ts';
import { foundContact } from './found.ts';
import { keptById } from './kept.ts';
import { contactSchema } from './schemas.ts';

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
    return created(foundContact(services, id));
  },
  secret: keptById,
});

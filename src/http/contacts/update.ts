import { z } from 'zod';
import { exampleIds } from '../examples.ts';
import { defineOperation, empty } from '../operation.ts';
import { uuid } from '../schemas.ts';
import { contactFields, saidFields } from './fields.ts';

export const updateContact = defineOperation({
  path: '/contacts.update',
  summary: 'Change a contact: what is absent stays, an empty string removes, inside objects too.',
  auth: 'core',
  feature: 'contacts',
  request: z.object({ id: uuid, ...contactFields }),
  example: { id: exampleIds.contact, title: 'Institute Professor', address: { state: '' } },
  responses: { 202: null },
  answers: { 202: { description: 'Done: the contact is as it was asked for.' } },
  errors: ['feature_disabled', 'not_found', 'metadata_too_large'],
  async handle({ commands }, { id, ...said }) {
    await commands.send('contact', id, 'contact.update', { fields: saidFields(said) });
    return empty(202);
  },
});

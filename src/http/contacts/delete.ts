import { z } from 'zod';
import { exampleIds } from '../examples.ts';
import { defineOperation, empty } from '../operation.ts';
import { uuid } from '../schemas.ts';

export const deleteContact = defineOperation({
  path: '/contacts.delete',
  summary: 'Remove a contact: its conversations and messages stay.',
  auth: 'core',
  feature: 'contacts',
  request: z.object({ id: uuid }),
  example: { id: exampleIds.contact },
  responses: { 202: null },
  answers: { 202: { description: 'Done: the contact is gone.' } },
  errors: ['feature_disabled', 'not_found'],
  async handle({ commands }, { id }) {
    await commands.send('contact', id, 'contact.delete', null);
    return empty(202);
  },
});

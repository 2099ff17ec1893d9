import { z } from 'zod';
import { Failure } from '#actors/errors.ts';
import { exampleIds } from '../examples.ts';
import { defineRead, ok } from '../operation.ts';
import { uuid } from '../schemas.ts';
import { foundContact } from './found.ts';
import { contactSchema } from './schemas.ts';

export const infoContact = defineRead({
  path: '/contacts.info',
  summary: 'One contact, by its id or by a conversation of it; the id wins.',
  auth: 'core',
  feature: 'contacts',
  request: z
    .object({ id: uuid.optional(), conversation_id: uuid.optional() })
    .refine(({ id, conversation_id }) => (id ?? conversation_id) !== undefined, 'must hold id or conversation_id')
    .meta({ anyOf: [{ required: ['id'] }, { required: ['conversation_id'] }] }),
  example: { id: exampleIds.contact },
  responses: { 200: contactSchema },
  errors: ['feature_disabled', 'not_found'],
  handle({ services }, { id, conversation_id }) {
    if (id !== undefined) return ok(foundContact(services, id));
    const contact = services.store.contacts.ofConversation(conversation_id!);
    if (contact === null) throw new Failure('not_found', `The conversation ${conversation_id} has no contact.`);
    return ok(contact);
  },
});

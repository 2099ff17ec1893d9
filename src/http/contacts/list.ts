import { z } from 'zod';
import { defineRead, ok } from '../operation.ts';
import { pageBody, pageFields, pageQuery, pageSchema } from '../pagination.ts';
import { listedContactSchema } from './schemas.ts';

const list = 'contacts';

export const listContacts = defineRead({
  path: '/contacts.list',
  summary: 'List contacts by name, those without one last.',
  auth: 'core',
  feature: 'contacts',
  request: z.object(pageFields),
  example: { page_size: 50 },
  responses: { 200: pageSchema(listedContactSchema) },
  errors: ['feature_disabled', 'invalid_cursor', 'query_too_slow'],
  async handle({ longReads, services: { store } }, asked) {
    const query = pageQuery(list, asked);
    // A walk that began long ago has to find what has changed since.
    const page = query.from === null ? store.contacts.page(query) : await longReads.contacts(query);
    return ok(pageBody(list, page));
  },
});

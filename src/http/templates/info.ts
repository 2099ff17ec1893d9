import { z } from 'zod';
import { Failure } from '#actors/errors.ts';
import { exampleIds } from '../examples.ts';
import { defineRead, ok } from '../operation.ts';
import { templateSchema, uuid } from '../schemas.ts';

export const infoTemplate = defineRead({
  path: '/templates.info',
  summary: 'One template.',
  auth: 'core',
  request: z.object({ id: uuid }),
  example: { id: exampleIds.template },
  responses: { 200: templateSchema },
  errors: ['not_found'],
  handle({ services }, { id }) {
    const template = services.store.templates.find(id);
    if (template === null) throw new Failure('not_found', `There is no template ${id}.`);
    return ok(template);
  },
});

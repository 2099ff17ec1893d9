import { z } from 'zod';
import { Failure } from '#actors/errors.ts';
import { sourceActorId } from '#actors/ids.ts';
import { foreignId } from '#src/ingest/fields.ts';
import { defineOperation, empty } from '../operation.ts';

export const deleteSource = defineOperation({
  path: '/sources.delete',
  summary: 'Remove a source: its token is refused, its channels disconnect, its messages stay.',
  auth: 'core',
  feature: 'source-api',
  request: z.object({ source_id: foreignId }),
  example: { source_id: 'my-crm' },
  responses: { 202: null },
  errors: ['feature_disabled', 'not_found'],
  async handle({ commands, services }, { source_id }) {
    if (services.store.sources.find(source_id) === null) {
      throw new Failure('not_found', `There is no source ${source_id}.`);
    }
    await commands.send('source', sourceActorId(source_id), 'source.delete', null);
    return empty(202);
  },
});

import { z } from 'zod';
import { sourceActorId } from '#actors/ids.ts';
import { foreignId } from '#src/ingest/fields.ts';
import { defineOperation, ok } from '../operation.ts';
import { endpoint, sourceSchema, text, url } from '../schemas.ts';

export const updateSource = defineOperation({
  path: '/sources.update',
  summary: 'Change a source; what is absent stays as it is, null clears.',
  auth: 'core',
  feature: 'source-api',
  request: z.object({
    source_id: foreignId,
    action_endpoint: endpoint.nullish(),
    name: text.nullish(),
    image_url: url.nullish(),
  }),
  example: { source_id: 'my-crm', name: 'The new CRM' },
  responses: { 200: sourceSchema },
  errors: ['feature_disabled', 'not_found'],
  async handle({ commands }, { source_id, action_endpoint, name, image_url }) {
    const { source } = await commands.send('source', sourceActorId(source_id), 'source.update', {
      ...(action_endpoint !== undefined && { actionEndpoint: action_endpoint }),
      ...(name !== undefined && { name }),
      ...(image_url !== undefined && { imageUrl: image_url }),
    });
    return ok(source);
  },
});

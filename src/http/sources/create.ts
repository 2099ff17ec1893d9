import { z } from 'zod';
import { Failure } from '#actors/errors.ts';
import { sourceActorId } from '#actors/ids.ts';
import { isReservedSource } from '#src/connectors/registry.ts';
import { foreignId } from '#src/ingest/fields.ts';
import { defineOperation, ok } from '../operation.ts';
import { endpoint, sourceSchema, text, url } from '../schemas.ts';

export const createSource = defineOperation({
  path: '/sources.create',
  summary: 'Register an application as a source; the only answer that holds its token.',
  auth: 'core',
  feature: 'source-api',
  request: z.object({
    source_id: foreignId,
    action_endpoint: endpoint.optional(),
    name: text.optional(),
    image_url: url.optional(),
  }),
  example: { source_id: 'my-crm', action_endpoint: 'https://crm.example/parley', name: 'My CRM' },
  responses: { 200: sourceSchema.extend({ token: z.string() }) },
  errors: ['feature_disabled', 'source_exists', 'source_id_reserved'],
  async handle({ commands, services }, { source_id, action_endpoint, name, image_url }) {
    if (isReservedSource(source_id)) {
      throw new Failure(
        'source_id_reserved',
        `The id ${source_id} is kept for a source of the hub's own. Choose another one.`,
      );
    }
    const { source, issuedAt } = await commands.send('source', sourceActorId(source_id), 'source.create', {
      sourceId: source_id,
      ...(action_endpoint !== undefined && { actionEndpoint: action_endpoint }),
      ...(name !== undefined && { name }),
      ...(image_url !== undefined && { imageUrl: image_url }),
    });
    const token = await services.tokens.make({ sourceId: source_id, issuedAt });
    return ok({ ...source, token });
  },
  secret: {
    /** A token follows from the second at which it was issued. */
    async strip({ tokens }, body) {
      const { token, ...rest } = body as { token: string };
      return { ...rest, issued_at: (await tokens.verify(token))?.issuedAt };
    },
    async restore({ tokens }, stripped) {
      const { issued_at: issuedAt, ...rest } = stripped as { source_id: string; issued_at: number };
      return { ...rest, token: await tokens.make({ sourceId: rest.source_id, issuedAt }) };
    },
  },
});

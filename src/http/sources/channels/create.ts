import { z } from 'zod';
import type { JsonObject } from '#actors/representation.ts';
import { channelId } from '#actors/ids.ts';
import { foreignId, refuseOwnKeys } from '#src/ingest/fields.ts';
import { defineOperation, ok } from '../../operation.ts';
import { channelSchema, text, url } from '../../schemas.ts';
import { withToken } from './own-channel.ts';

export const createSourceChannel = defineOperation({
  path: '/sources.channels.create',
  summary: 'Connect a channel of the source; the same source_channel_id again updates and reconnects it.',
  auth: 'source',
  feature: 'source-api',
  request: z.object({
    source_channel_id: foreignId,
    name: text.min(1),
    metadata: z
      .looseObject({ image_url: url.optional(), token: text.optional() })
      .superRefine(refuseOwnKeys)
      .optional(),
  }),
  example: { source_channel_id: 'line-1', name: 'Line 1', metadata: { image_url: 'https://crm.example/line.png' } },
  responses: { 200: channelSchema },
  errors: ['feature_disabled', 'metadata_too_large'],
  async handle({ commands, services, caller: { sourceId } }, { source_channel_id, name, metadata }) {
    const { image_url, token, ...others } = metadata ?? {};
    const id = channelId(sourceId, source_channel_id);
    const { channel } = await commands.send('channel', id, 'channel.connect', {
      source: sourceId,
      sourceChannelId: source_channel_id,
      sourceId,
      name,
      ...(image_url !== undefined && { imageUrl: image_url }),
      ...(token !== undefined && { token }),
      metadata: others as JsonObject,
    });
    return ok(withToken(services, channel));
  },
});

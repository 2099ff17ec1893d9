import { z } from 'zod';
import { channelId } from '#actors/ids.ts';
import type { Json } from '#actors/representation.ts';
import { visitedSource } from '#src/connectors/registry.ts';
import { foreignId } from '#src/ingest/fields.ts';
import { defineOperation, ok } from '../../operation.ts';
import { channelSchema, url } from '../../schemas.ts';

const mostOrigins = 100;
const origin = url.refine((text) => URL.parse(text)?.origin === text, 'must be an origin such as https://shop.example');

export const connectChatpluginChannel = defineOperation({
  path: '/channels.chatplugin.connect',
  summary: 'Connect a channel for visitors of web pages; the same name again updates and reconnects it.',
  auth: 'core',
  feature: 'chatplugin',
  request: z.object({
    name: foreignId,
    image_url: url.optional(),
    allowed_origins: z
      .array(origin)
      .min(1)
      .max(mostOrigins)
      .nullish()
      .describe('Pages that may use the channel; null: any, as at first.'),
  }),
  example: { name: 'shop', image_url: 'https://shop.example/logo.png', allowed_origins: ['https://shop.example'] },
  responses: { 200: channelSchema },
  errors: ['feature_disabled', 'metadata_too_large'],
  async handle({ commands }, { name, image_url, allowed_origins }) {
    const { channel } = await commands.send('channel', channelId(visitedSource, name), 'channel.connect', {
      ...{ source: visitedSource, sourceChannelId: name, name },
      ...(image_url !== undefined && { imageUrl: image_url }),
      ...(allowed_origins !== undefined && { metadata: { allowed_origins: allowed_origins as Json } }),
    });
    return ok(channel);
  },
});

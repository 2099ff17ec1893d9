import { z } from 'zod';
import { Failure } from '#actors/errors.ts';
import { pushReceiver } from '#src/connectors/registry.ts';
import { ingest } from '#src/ingest/ingest.ts';
import { type SortedMessages, sortMessages } from '#src/ingest/messages.ts';
import { defineOperation, ok } from '../operation.ts';

export const sourceWebhook = defineOperation({
  path: '/sources.webhook',
  summary: 'Push messages and metadata of the source; answered once they are durable.',
  auth: 'source',
  feature: 'source-api',
  request: pushReceiver.request,
  example: pushReceiver.example,
  responses: {
    200: z.object({
      messages: z.array(
        z.object({
          source_message_id: z.string(),
          id: z.string(),
          conversation_id: z.string(),
          duplicate: z.boolean(),
        }),
      ),
    }),
  },
  errors: ['feature_disabled', 'metadata_too_large'],
  async handle({ caller, commands, services }, body) {
    const { store } = services;
    const inbound = pushReceiver.parse(caller.sourceId, body);
    const sorted = sortMessages(store.channels, inbound);
    assertUsable(sorted);
    try {
      return ok({ messages: await ingest({ commands, store }, inbound, sorted) });
    } catch (error) {
      throw disconnectedMeanwhile(error);
    }
  },
});

/** A channel that was disconnected after the look at it: what its conversations were to get is not stored. */
function disconnectedMeanwhile(error: unknown): unknown {
  if (!(error instanceof Failure) || error.code !== 'channel_not_connected') return error;
  const problem = `${error.message} Push again then: what was stored is not stored twice.`;
  return new Failure('invalid_request', problem);
}

/** @throws Failure `invalid_request` naming every item whose channel is not a connected one of the source */
function assertUsable({ unusable }: SortedMessages): void {
  if (unusable.length === 0) return;
  const problem = 'is not a connected channel of this source';
  const details = unusable.map((index) => ({ path: `messages[${index}].source_channel_id`, problem }));
  throw new Failure('invalid_request', 'Nothing was stored: see details.', { details });
}

import { z } from 'zod';
import { Failure } from '#actors/errors.ts';
import { pushReceiver } from '#src/connectors/registry.ts';
import { ingest } from '#src/ingest/ingest.ts';
import { checkMetadata, type UnusableMetadata } from '#src/ingest/metadata-check.ts';
import { metadataIn } from '#src/ingest/receipts.ts';
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
  errors: ['feature_disabled', 'ambiguous_target', 'too_many_unknown_targets', 'metadata_too_large'],
  async handle({ caller, commands, services }, body) {
    const { store, features, clock } = services;
    const inbound = pushReceiver.parse(caller.sourceId, body);
    const sorted = sortMessages(store.channels, inbound, clock.now());
    assertUsable(sorted);
    const metadata = metadataIn(inbound);
    assertMergeable(checkMetadata(store, inbound.source, sorted, metadata));
    try {
      return ok({ messages: await ingest({ commands, store, features }, inbound.source, sorted, metadata) });
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

const nothingStored = 'Nothing was stored: see details.';
const fieldNames = {
  id: 'source_message_id',
  conversation: 'source_conversation_id',
  channel: 'source_channel_id',
  sender: 'source_sender_id',
  content: 'content',
  fromContact: 'from_contact',
  sentAt: 'sent_at',
} as const;

/** @throws Failure `invalid_request` naming every item with a time or a channel that can not be */
function assertUsable({ unusable }: SortedMessages): void {
  if (unusable.length === 0) return;
  const details = unusable.map(({ index, field, problem }) => ({
    path: `messages[${index}].${fieldNames[field]}`,
    problem,
  }));
  throw new Failure('invalid_request', nothingStored, { details });
}

/** @throws Failure naming every item that has the problem of the first one */
function assertMergeable(unusable: readonly UnusableMetadata[]): void {
  const [first] = unusable;
  if (first === undefined) return;
  const details = unusable
    .filter(({ code }) => code === first.code)
    .map(({ index, problem }) => ({ path: `metadata[${index}]`, problem }));
  throw new Failure(first.code, nothingStored, { details });
}

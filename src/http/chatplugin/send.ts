import { Failure } from '#actors/errors.ts';
import { isoTime, type MessageJson } from '#actors/representation.ts';
import { visitReceiver } from '#src/connectors/registry.ts';
import type { MessageItem } from '#src/ingest/items.ts';
import { sortMessages, storeMessages } from '#src/ingest/messages.ts';
import { shownToVisitor } from '#src/security/visitor-view.ts';
import { defineOperation, ok } from '../operation.ts';
import { messageSchema } from '../schemas.ts';

export const sendChatplugin = defineOperation({
  path: '/chatplugin.send',
  summary: 'Store a message of the visitor; answered once it is durable.',
  auth: 'visitor',
  feature: 'chatplugin',
  bodyLimit: 64 * 1024,
  request: visitReceiver.request,
  example: visitReceiver.example,
  responses: { 200: messageSchema },
  showsMessage: true,
  errors: ['feature_disabled', 'conversation_erased', 'rate_limited'],
  async handle({ services, commands, caller, from, newId }, body) {
    const { store, features, clock, visitorLimits } = services;
    const { channelId, contact } = caller;
    visitorLimits.admitAddress('send', from.address);
    visitorLimits.admitChannel('send', channelId);
    const visit = { sourceChannelId: store.channels.find(channelId)!.source_channel_id, sourceConversationId: contact };
    const inbound = visitReceiver.parse(visit, body, newId(), clock.now());
    const { conversations } = sortMessages(store.channels, inbound, clock.now());
    const [stored] = await storeMessages({ commands, features }, conversations);
    if (stored === undefined) throw new Failure('channel_not_connected', `The channel ${channelId} is not connected.`);
    // One that was there already is as it was then, whatever is sent under its name now.
    const earlier = stored.duplicate ? store.messages.find(stored.id) : null;
    return ok(shownToVisitor(earlier?.message ?? asStored(inbound.source, inbound.messages[0]!, stored.id)));
  },
});

/** A new message of a contact as the API shows it. */
const asStored = (source: string, { content, sentAt, sender }: MessageItem, id: string): MessageJson => ({
  ...{ id, content, source, metadata: {} },
  ...{ state: 'delivered', delivery_state: 'delivered' },
  ...{ from_contact: true, sent_at: isoTime(sentAt), sender: { id: sender } },
});

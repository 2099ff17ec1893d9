import type { PlatformApp } from '#src/config/config.ts';
import { ask } from '../graph/calls.ts';
import type { ReadMarker } from '../powers.ts';

/** Marks a message of the contact as read, and with it all before. */
export const readMarkerOf = (app: PlatformApp): ReadMarker => ({
  async markRead({ channel, token }, lastMessage, tools) {
    if (token === null) return 'done';
    const body = { messaging_product: 'whatsapp', status: 'read', message_id: lastMessage };
    const answer = await ask(app, token, { path: [channel.source_channel_id, 'messages'], body }, tools);
    return answer.kind === 'unreachable' ? 'unreachable' : 'done';
  },
});

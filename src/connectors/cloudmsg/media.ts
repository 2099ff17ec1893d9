import type { PlatformApp } from '#src/config/config.ts';
import { ask } from '../graph/calls.ts';
import { idOf, objectOf, webAddressOf } from '../graph/fields.ts';
import type { MediaLink, MediaLocator } from '../powers.ts';

/** Types of messages that are a file. */
const types = ['image', 'video', 'audio', 'document', 'sticker'];

/** Files: a message has their ids, the platform says for minutes where they are. */
export const mediaOf = (app: PlatformApp): MediaLocator => ({
  locate(content) {
    const message = objectOf(content);
    return types.flatMap((name): MediaLink[] => {
      const at = idOf(objectOf(message[name])['id']);
      return at === null ? [] : [{ name, at }];
    });
  },
  async open({ at }, { channel, token }, tools) {
    if (token === null) return null;
    const query = { phone_number_id: channel.source_channel_id };
    const answer = await ask(app, token, { method: 'GET', path: [at], query }, tools);
    const url = answer.kind === 'answered' ? webAddressOf(answer.said['url']) : null;
    return url === null || !isSafeFor(app, url) ? null : { url, headers: { Authorization: `Bearer ${token}` } };
  },
});

/** A token is told to nobody who listens: it goes out encrypted, or to where it goes anyway. */
function isSafeFor({ apiBase }: PlatformApp, url: string): boolean {
  const { protocol, origin } = new URL(url);
  return protocol === 'https:' || origin === new URL(apiBase).origin;
}

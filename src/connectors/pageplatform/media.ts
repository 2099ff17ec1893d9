import { listOf, objectOf, webAddressOf } from '../graph/fields.ts';
import type { MediaLink, MediaLocator } from '../powers.ts';

/** Attachments whose address is that of a page, not of a file. */
const pages = new Set(['fallback', 'template', 'location']);

/** Files of attachments, and the story that a message is about: their links expire. */
export const media: MediaLocator = {
  locate(content) {
    const { attachments, reply_to: answered } = objectOf(content);
    const files = listOf(attachments).map((attachment) => {
      const { type, payload } = objectOf(attachment);
      return typeof type === 'string' && pages.has(type) ? null : objectOf(payload)['url'];
    });
    const story = objectOf(objectOf(answered)['story'])['url'];
    return [...files.flatMap((url, n) => linkTo(String(n), url)), ...linkTo('story', story)];
  },
  open: async ({ at }) => ({ url: at, headers: {} }),
};

function linkTo(name: string, url: unknown): MediaLink[] {
  const at = webAddressOf(url);
  return at === null ? [] : [{ name, at }];
}

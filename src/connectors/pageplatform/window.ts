import { objectOf } from '../graph/fields.ts';
import type { MessagingWindow } from '../powers.ts';

/** 24 hours; later the platform takes what it knows the purpose of. */
export const window: MessagingWindow = {
  length: 24 * 60 * 60_000,
  takesLater(content) {
    const { messaging_type: type, tag, template } = objectOf(content);
    return typeof tag === 'string' || type === 'MESSAGE_TAG' || type === 'UTILITY' || template !== undefined;
  },
  closed:
    'The contact wrote more than 24 hours ago: send a message with messaging_type MESSAGE_TAG and a tag, or a utility template of the platform.',
};

import { objectOf } from '../graph/fields.ts';
import type { MessagingWindow } from '../powers.ts';

/** 24 hours; later the platform takes templates that it has approved. */
export const window: MessagingWindow = {
  length: 24 * 60 * 60_000,
  takesLater: (content) => objectOf(content)['type'] === 'template',
  closed: 'The contact wrote more than 24 hours ago: send an approved template, a message of type template.',
};

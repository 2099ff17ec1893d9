import { isObject } from '#actors/json.ts';
import type { MediaLocator } from '../powers.ts';

/** Where the platform puts the images of contacts. */
const imageAddress = /^https:\/\/storage\.googleapis\.com\/business-messages[^\s]*$/;

/** An image comes as a text that is its signed address, which ends after a week. */
export const imagesInTexts: MediaLocator = {
  locate(content) {
    const text = isObject(content) ? content['text'] : null;
    return typeof text === 'string' && imageAddress.test(text) ? [{ name: 'image', at: text }] : [];
  },
  open: async ({ at }) => ({ url: at, headers: {} }),
};

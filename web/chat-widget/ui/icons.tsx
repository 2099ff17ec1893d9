import { h } from 'preact';

/** Drawn on 24 × 24, with the colour of the text around. They say nothing to a screen reader: their buttons do. */
const drawn = (path: string) => () => (
  <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
    <path d={path} />
  </svg>
);

export const ChatIcon = drawn('M21 11.5a8.5 8.5 0 0 1-12.4 7.6L3 21l1.9-5.6A8.5 8.5 0 1 1 21 11.5Z');
export const DownIcon = drawn('m6 9 6 6 6-6');
export const CloseIcon = drawn('M18 6 6 18M6 6l12 12');
export const EndIcon = drawn('M9 3H4v18h5M16 17l5-5-5-5M21 12H9');
export const SendIcon = drawn('M12 19V5M5 12l7-7 7 7');
export const FileIcon = drawn('M14 3v5h5L14 3H6v18h13V8');
export const LinkIcon = drawn('M7 17 17 7M9 7h8v8');

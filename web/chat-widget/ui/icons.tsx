/** Drawn on 24 × 24, with the colour of the text around. They say nothing to a screen reader: their buttons do. */
const drawn = (path: string) => () => (
  <svg class="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
    <path d={path} />
  </svg>
);

export const ChatIcon = drawn(
  'M21 11.5a8.4 8.4 0 0 1-8.5 8.4 8.7 8.7 0 0 1-3.9-.9L3 21l2-5.1a8.2 8.2 0 0 1-1-4.4 8.4 8.4 0 0 1 8.5-8.4A8.4 8.4 0 0 1 21 11.5Z',
);
export const DownIcon = drawn('m6 9 6 6 6-6');
export const CloseIcon = drawn('M18 6 6 18M6 6l12 12');
export const EndIcon = drawn('M9 21H5a2 2 0 0 1-2-2V5a2 2 0 0 1 2-2h4M16 17l5-5-5-5M21 12H9');
export const SendIcon = drawn('M12 19V5M5 12l7-7 7 7');
export const FileIcon = drawn('M14 3v5h5M14 3H7a2 2 0 0 0-2 2v14a2 2 0 0 0 2 2h10a2 2 0 0 0 2-2V8l-5-5Z');
export const LinkIcon = drawn('M7 17 17 7M9 7h8v8');

/** Of content whose first bytes say nothing: text, and whatever nobody knows. */
export const unknownType = 'application/octet-stream';

/** What a browser may show by itself: it runs nothing. HTML, SVG and XML are not among them, and never will be. */
const shown = new Set([
  ...['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif', 'image/bmp'],
  ...['audio/mpeg', 'audio/ogg', 'audio/wav', 'audio/mp4', 'audio/aac', 'audio/flac', 'audio/webm', 'audio/x-m4a'],
  ...['audio/ogg; codecs=opus', 'audio/amr'],
  ...['video/mp4', 'video/webm', 'video/ogg', 'video/quicktime', 'video/3gpp'],
]);

/** The type of a content and the ending of such files; what it was called counts for nothing. */
export async function typeOf(head: Uint8Array): Promise<{ type: string; ending: string | null }> {
  // Loaded with the first file: it is large, and many hubs see none.
  const { fileTypeFromBuffer } = await import('file-type');
  const found = await fileTypeFromBuffer(head);
  return { type: found?.mime ?? unknownType, ending: found?.ext ?? null };
}

/** Whether it is shown in its place; anything else is something to download. */
export const isShown = (type: string): boolean => shown.has(type);

/** @param pattern as `image/png`, `image/*` or `*` */
export const fits = (type: string, pattern: string): boolean =>
  pattern === '*' || pattern === type || (pattern.endsWith('/*') && type.startsWith(pattern.slice(0, -1)));

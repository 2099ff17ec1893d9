const linkSchemes = ['http:', 'https:', 'mailto:', 'tel:'];
const mediaSchemes = ['http:', 'https:'];

/**
 * The address of a link that is safe to follow, or null: every other scheme can run a script or open what is local.
 * @param base the hub's address, which addresses without a host are relative to
 */
export const safeLink = (text: unknown, base: string): string | null => addressOf(text, base, linkSchemes);

/** The address of an image, a recording or a film that is safe to load, or null. */
export const safeMedia = (text: unknown, base: string): string | null => addressOf(text, base, mediaSchemes);

/** The parsed address is what a browser goes to: what a scheme hides behind (tabs, case, entities) is gone from it. */
function addressOf(text: unknown, base: string, schemes: readonly string[]): string | null {
  if (typeof text !== 'string') return null;
  try {
    const url = new URL(text, base);
    return schemes.includes(url.protocol) ? url.href : null;
  } catch {
    return null;
  }
}

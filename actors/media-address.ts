/** Below it the hub serves its files: `<path>/<sha256>.<ending>`. */
export const mediaPath = '/media';

const inText = new RegExp(`${mediaPath}/([0-9a-f]{64})(?![0-9a-f])`, 'g');

/** The files of the hub's own that a text has addresses of, each once: SHA-256 of their contents. */
export function filesIn(text: string): string[] {
  // Most texts have none.
  if (!text.includes(`${mediaPath}/`)) return [];
  return [...new Set([...text.matchAll(inText)].map(([, sha256]) => sha256!))];
}

/** One `@`, with something before and behind it. */
const address = /^[^@\s]+@[^@\s]+$/;

/** Whether an address matches one of the patterns as a whole, in any case; `*` stands for any text. */
export const matchesOne = (patterns: readonly string[], email: string): boolean =>
  address.test(email) && patterns.some((pattern) => matches(pattern.toLowerCase().split('*'), email.toLowerCase()));

/** @param pieces the text between the wildcards; one piece: there is none */
function matches(pieces: string[], text: string): boolean {
  const [first = '', ...rest] = pieces;
  const last = rest.pop();
  if (last === undefined) return text === first;
  if (!text.startsWith(first)) return false;
  let at = first.length;
  for (const piece of rest) {
    const found = text.indexOf(piece, at);
    if (found < 0) return false;
    at = found + piece.length;
  }
  return text.length - last.length >= at && text.endsWith(last);
}

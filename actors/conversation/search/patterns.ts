/** Whether a text is the pieces, with anything between them. */
export function isMadeOf(pieces: readonly string[], text: string): boolean {
  const [first = '', ...others] = pieces;
  const last = others.pop();
  if (last === undefined) return text === first;
  if (!text.startsWith(first)) return false;
  const at = behind(others, text, first.length);
  return at >= 0 && text.length - last.length >= at && text.endsWith(last);
}

/**
 * Whether words stand somewhere in a name, with anything between the pieces: the first begins and the last ends where
 * no letter or digit goes on.
 * @param text in lower case, with a space around; @param pieces in lower case
 */
export function standsIn(pieces: readonly string[], text: string): boolean {
  const [first = '', ...others] = pieces;
  const last = others.pop();
  if (first === '' && last === undefined) return false;
  for (let start = text.indexOf(first, 1); start >= 0; start = text.indexOf(first, start + 1)) {
    if (first !== '' && isPartOfWord(text.charCodeAt(start - 1))) continue;
    if (last !== undefined) return endsBehind(last, text, behind(others, text, start + first.length));
    if (!isPartOfWord(text.charCodeAt(start + first.length))) return true;
  }
  return false;
}

/** Where the pieces end, one after the other, the soonest; -1: they are not there. */
function behind(pieces: readonly string[], text: string, from: number): number {
  let at = from;
  for (const piece of pieces) {
    const start = text.indexOf(piece, at);
    if (start < 0) return -1;
    at = start + piece.length;
  }
  return at;
}

function endsBehind(last: string, text: string, from: number): boolean {
  if (from < 0 || last === '') return from >= 0;
  for (let start = text.indexOf(last, from); start >= 0; start = text.indexOf(last, start + 1)) {
    if (!isPartOfWord(text.charCodeAt(start + last.length))) return true;
  }
  return false;
}

const wordUnit = /[0-9A-Za-z_\u00aa\u00b5\u00ba\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u1fff\u2070-\u2fff\u3040-\ufdff]/;
const asciiWords = Array.from({ length: 128 }, (_, code) => wordUnit.test(String.fromCharCode(code)));

/** Halves of what is beyond 16 bits lie in the last range. */
const isPartOfWord = (code: number): boolean => asciiWords[code] ?? wordUnit.test(String.fromCharCode(code));

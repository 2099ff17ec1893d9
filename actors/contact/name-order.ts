/** In the order of Unicode's root collation: what comes before digits. */
const ascii = ' _-,;:!?.\'"()[]{}@*/\\&#%`^+<=>|~$';

/** Letters that no decomposition takes apart, and what the collation takes them for. */
const expansions: Record<string, string> = { ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', ł: 'l', ſ: 's' };

/** Ends a level: lower than everything in it. */
const levelEnd = '\u0001';
/** Characters of a level that are kept: longer names that differ only behind them are ordered by id. */
const longest = 255;

/**
 * The place of a name in a list, as text that is compared by its bytes: an approximation of Unicode's root collation
 * that can be stored. Three levels: letters without marks and case, signs before digits before letters; then marks;
 * then case, lower first. Scripts come in the order of Unicode. Names without one come last.
 */
export function nameOrder(name: string | undefined): string {
  if (name === undefined) return '1';
  const plain = name.normalize('NFKD').toLowerCase();
  const levels = [[...plain].map(weightOf).join(''), plain.replaceAll(levelEnd, ''), casesOf(name)];
  return `0${levels.map((level) => level.slice(0, longest)).join(levelEnd)}`.toWellFormed();
}

function weightOf(character: string): string {
  const expanded = expansions[character];
  if (expanded !== undefined) return expanded;
  if (/\p{M}/u.test(character)) return '';
  if (/[\p{L}\p{N}]/u.test(character)) return character;
  const known = ascii.indexOf(character);
  return known < 0 ? `\u0003${character}` : `\u0002${String.fromCharCode(0x20 + known)}`;
}

/** `0` where a letter is small, `1` where it is not. */
const casesOf = (name: string): string =>
  [...name].map((character) => (character === character.toLowerCase() ? '0' : '1')).join('');

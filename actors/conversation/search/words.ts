import { invalidFilter, type Operand } from '../../filter.ts';
import type { Connection } from '../../store/database.ts';
import { docsPerConversation } from './file.ts';

/** Whether a value can be looked up in the words of messages: a phrase, or one whose last word is only begun. */
export const isPhrase = ({ pieces }: Operand): boolean =>
  pieces.length === 1 || (pieces.length === 2 && pieces[0] !== '' && pieces[1] === '');

/** Documents that are looked up before it is asked whether to go on. */
const atOnce = 50_000;

/** How words of messages are looked up. */
export const wordsQuery = `SELECT rowid / ${docsPerConversation} FROM words
  WHERE words MATCH ? AND rowid >= ? ORDER BY rowid LIMIT ${atOnce}`;

/**
 * Ordinals of conversations in which a message says this, in parts: its words side by side, whatever their case and
 * accents. One in which it is said several times is there several times: to sort that out here would take longer.
 * @param mustGoOn throws when the query was cut
 * @throws Failure `invalid_filter` for a wildcard that does not stand behind a word
 */
export function* saying(index: Connection, value: Operand, mustGoOn: () => void): Iterable<number[]> {
  if (!isPhrase(value)) throw invalidFilter(value.at, 'In text a wildcard stands at the end of a word; another one');
  const [phrase = '', prefix] = value.pieces;
  // Nothing but one string: no operator, column or function of the query language can be reached.
  const query = `"${phrase.replaceAll('"', '""')}"${prefix === undefined ? '' : ' *'}`;
  const find = index.prepare(wordsQuery).pluck();
  for (let from = 0; ; ) {
    // As an integer: the index looks no other number up.
    const ordinals = find.all(query, BigInt(from)) as number[];
    yield ordinals;
    if (ordinals.length < atOnce) return;
    mustGoOn();
    from = (ordinals.at(-1)! + 1) * docsPerConversation;
  }
}

/** Ordinals of conversations in which a message has any words. */
export const sayingAnything = (index: Connection): number[] =>
  index.prepare('SELECT ordinal FROM conversation WHERE docs > 0').pluck().all() as number[];

import fc from 'fast-check';

const safeWord = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }).filter((text) => !text.includes('\0'));
const quoted = safeWord.map((text) => `"${text.replace(/["\\]/g, '\\$&')}"`);
const escaped = safeWord.map((text) => text.replace(/[^\p{L}\p{N}]/gu, '\\$&'));
const key = safeWord.map((text) => Array.from(text, (symbol) => `\\${symbol}`.slice(0, 2)).join(''));
const wildcarded = fc
  .array(fc.oneof(escaped, fc.constant('*')), { minLength: 1, maxLength: 6 })
  .map((all) => all.join(''));
const text = fc.oneof(quoted, escaped, wildcarded);
const number = fc.integer().map(String);
const instant = fc
  .date({ noInvalidDate: true, min: new Date(0), max: new Date(4e12) })
  .map((date) => date.toISOString());
const rangeOf = (end: fc.Arbitrary<string>) => {
  const side = fc.oneof(end, fc.constant('*'));
  const [open, close] = [fc.constantFrom('[', '{'), fc.constantFrom(']', '}')];
  return fc.tuple(open, side, side, close).map(([first, from, to, last]) => `${first}${from} TO ${to}${last}`);
};
const metadataField = fc.array(key, { minLength: 1, maxLength: 4 }).map((keys) => `metadata.x${keys.join('.')}`);
const named = fc
  .oneof(
    fc.tuple(fc.constantFrom('id', 'channel_id', 'source', 'display_name', 'tag_ids', 'metadata.state'), text),
    fc.tuple(fc.constantFrom('unread_count', 'metadata.unread_count'), fc.oneof(number, rangeOf(number))),
    fc.tuple(fc.constant('created_at'), fc.oneof(number, instant, rangeOf(instant))),
    fc.tuple(metadataField, fc.oneof(text, rangeOf(number), rangeOf(quoted))),
  )
  .map(([field, value]) => `${field}:${value}`);
const words = fc
  .oneof(
    quoted,
    escaped,
    escaped.map((word) => `${word}*`),
  )
  .map((value) => `text:${value}`);
const leaf = fc.oneof({ arbitrary: named, weight: 4 }, words, text, fc.constant('*:*'));
const { filter } = fc.letrec<{ filter: string }>((tie) => ({
  filter: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    leaf,
    fc
      .tuple(tie('filter'), fc.constantFrom(' AND ', ' OR ', ' ', ' && ', ' || '), tie('filter'))
      .map((parts) => parts.join('')),
    fc.tuple(fc.constantFrom('NOT ', '-', '!', '+'), tie('filter')).map(([sign, inner]) => `${sign}(${inner})`),
  ),
}));
/** Any filter that has to be taken. */
export const validFilter = filter;

/** Pieces of the grammar in any order. */
export const soup = fc
  .array(
    fc.constantFrom(
      ...'source metadata. a .b : : ( ) [ ] { } " \\ * TO AND OR NOT && || + - ! ~ ^ / < 5 id unread_count tag_ids text: NEAR( ^"a {a}: a+b col:a \' ; -- % _ ? \ud800 é'.split(
        ' ',
      ),
      ' ',
    ),
    { maxLength: 40 },
  )
  .map((parts) => parts.join(''));

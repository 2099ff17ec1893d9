import { type Clause, type Field, invalidFilter, type Operand, type RangeEnd } from '../filter.ts';
import { isUuid, uuidToBytes } from '../uuid.ts';

/** A condition in SQL over `conversation c` joined with `channel ch`; `parameters` in the order of its question marks. */
export interface Condition {
  where: string;
  parameters: (string | number | Buffer)[];
}

type Range = { from: RangeEnd | null; to: RangeEnd | null };

/** How one field compares. Every condition is 0 or 1, never NULL, so that NOT is the true opposite. */
interface Comparison {
  match(value: Operand): Condition;
  /** Absent: the field has no order. */
  range?(range: Range): Condition;
}

/**
 * What a filter asks of conversations. Its fields are `id`, `channel_id`, `source`, `display_name`, `tag_ids`,
 * `unread_count`, `created_at` and `metadata.<path>`; without a field it is `display_name`. Only fixed text becomes SQL; values, patterns and JSON paths are
 * parameters.
 * @throws Failure `invalid_filter` for unknown fields and for values that the field can't have
 */
export function conversationCondition(clause: Clause): Condition {
  switch (clause.kind) {
    case 'all':
      return clause.clauses.length === 0 ? everything : joined(clause.clauses.map(conversationCondition), ' AND ');
    case 'any':
      return joined(clause.clauses.map(conversationCondition), ' OR ');
    case 'not': {
      const { where, parameters } = conversationCondition(clause.clause);
      return { where: `(NOT ${where})`, parameters };
    }
    case 'match':
      return clause.field === null ? displayName(clause.value) : comparisonOf(clause.field).match(clause.value);
    case 'range': {
      const comparison = comparisonOf(clause.field);
      if (!comparison.range) throw invalidFilter(clause.field.at, 'A range on a field without an order');
      return comparison.range(clause);
    }
  }
}

function joined(conditions: Condition[], operator: string): Condition {
  return {
    where: `(${conditions.map(({ where }) => where).join(operator)})`,
    parameters: conditions.flatMap(({ parameters }) => parameters),
  };
}

const everything: Condition = { where: '1', parameters: [] };

const fields = new Map<string, Comparison>([
  ['id', id('c.id')],
  ['channel_id', id('c.channel_id')],
  ['source', { match: (value) => exactly('c.source', value) }],
  ['display_name', { match: displayName }],
  ['tag_ids', { match: tag }],
  ['unread_count', numeric('c.unread_count', wholeNumber)],
  ['created_at', numeric('c.created_at', instants)],
  ['metadata.state', { match: (value) => exactly(`ifnull(c.workflow, '')`, value) }],
  ['metadata.unread_count', numeric('c.unread_count', wholeNumber)],
  ['metadata.contact.displayName', { match: displayName }],
  ['metadata.contact.display_name', { match: displayName }],
]);

function comparisonOf(field: Field): Comparison {
  const known = fields.get(field.path.join('.'));
  if (known) return known;
  const [first, ...path] = field.path;
  if (first === 'metadata' && path.length > 0) return metadata(path);
  if (first === 'text') {
    const problem = 'Text of messages can not be searched yet (a word without a field is looked for in display_name)';
    throw invalidFilter(field.at, problem);
  }
  throw invalidFilter(field.at, `An unknown field; known are ${[...fields.keys()].slice(0, 7).join(', ')}, metadata.*`);
}

const isAnything = ({ pieces }: Operand): boolean => pieces.length > 1 && pieces.every((piece) => piece === '');

/** Upper and lower case count. */
function exactly(column: string, value: Operand): Condition {
  if (isAnything(value)) return { where: `${column} <> ''`, parameters: [] };
  if (value.pieces.length === 1) return { where: `${column} = ?`, parameters: [value.pieces[0]!] };
  return { where: `${column} GLOB ?`, parameters: [value.pieces.map(literal).join('*')] };
}

function id(column: string): Comparison {
  return {
    match({ pieces }) {
      const [text = ''] = pieces.map((piece) => piece.toLowerCase());
      if (pieces.length === 1) {
        return isUuid(text)
          ? { where: `${column} = ?`, parameters: [uuidToBytes(text)] }
          : { ...everything, where: '0' };
      }
      const pattern = pieces.map((piece) => literal(piece.toLowerCase().replaceAll('-', ''))).join('*');
      return { where: `lower(hex(${column})) GLOB ?`, parameters: [pattern] };
    },
  };
}

/** A code point that is part of no word: neither digit nor letter. Ranges of GLOB are of code points. */
const boundary =
  '[^0-9A-Za-z_\u00aa\u00b5\u00ba\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u1fff\u2070-\u2fff\u3040-\ufdff\u{10000}-\u{10ffff}]';

/** The words stand somewhere in the name, in upper or lower case; `*` also stands for parts of words. */
function displayName(value: Operand): Condition {
  if (isAnything(value)) return { where: `c.display_name <> ''`, parameters: [] };
  const words = value.pieces.map((piece) => anyCase(piece.normalize('NFC'))).join('*');
  return { where: `' ' || c.display_name || ' ' GLOB ?`, parameters: [`*${boundary}${words}${boundary}*`] };
}

/** Tags are the keys of `metadata.tags`. */
function tag({ pieces }: Operand): Condition {
  return {
    where: `EXISTS (SELECT 1 FROM json_each(c.metadata, '$.tags') e WHERE typeof(e.key) = 'text' AND e.key GLOB ?)`,
    parameters: [pieces.map(literal).join('*')],
  };
}

/** A value of the metadata, or one element of an array there. Numbers and booleans compare as they are written. */
function metadata(path: string[]): Comparison {
  const jsonPath = `$${path.map((key) => `.${JSON.stringify(key)}`).join('')}`;
  const elements = `EXISTS (SELECT 1 FROM json_each(c.metadata, ?) e WHERE e.type NOT IN ('null', 'object', 'array')`;
  const written = `CASE e.type WHEN 'true' THEN 'true' WHEN 'false' THEN 'false' ELSE CAST(e.atom AS TEXT) END`;
  const present: Condition = { where: `ifnull(json_type(c.metadata, ?), 'null') <> 'null'`, parameters: [jsonPath] };
  const some = ({ where, parameters }: Condition): Condition => ({
    where: `(ifnull(json_type(c.metadata, ?), 'null') <> 'object' AND ${elements} AND ${where}))`,
    parameters: [jsonPath, jsonPath, ...parameters],
  });
  return {
    match: (value) => (isAnything(value) ? present : some(exactly(written, value))),
    range({ from, to }) {
      const ends = [from, to].filter((end) => end !== null);
      if (ends.length === 0) return present;
      const isNumeric = ends.every(({ pieces }) => /^-?\d{1,15}(\.\d{1,15})?$/.test(pieces[0]!));
      const comparable = (end: RangeEnd | null): Limit | null =>
        end && { ...end, value: isNumeric ? Number(end.pieces[0]) : end.pieces[0]! };
      const inside = between('e.atom', comparable(from), comparable(to));
      const type = isNumeric ? `e.type IN ('integer', 'real')` : `e.type = 'text'`;
      return some({ ...inside, where: `${type} AND ${inside.where}` });
    },
  };
}

/** A column of whole numbers; `read` gives the first and the last number that a value stands for. */
function numeric(column: string, read: (value: Operand) => [number, number]): Comparison {
  return {
    match(value) {
      if (isAnything(value)) return everything;
      const [from, to] = read(value);
      return between(column, { value: from }, { value: to });
    },
    // What is excluded is excluded with all that it stands for: a day is over when its last millisecond is.
    range: ({ from, to }) =>
      between(
        column,
        from && { ...from, value: read(from)[from.excluded ? 1 : 0] },
        to && { ...to, value: read(to)[to.excluded ? 0 : 1] },
      ),
  };
}

interface Limit {
  value: number | string;
  excluded?: boolean;
}

function between(column: string, from: Limit | null, to: Limit | null): Condition {
  const limit = (end: Limit | null, sign: '<' | '>'): Condition =>
    end === null ? everything : { where: `${column} ${sign}${end.excluded ? '' : '='} ?`, parameters: [end.value] };
  return joined([limit(from, '>'), limit(to, '<')], ' AND ');
}

function wholeNumber({ pieces, at }: Operand): [number, number] {
  if (pieces.length > 1 || !/^-?\d{1,15}$/.test(pieces[0]!)) throw invalidFilter(at, 'A whole number is expected');
  return [Number(pieces[0]), Number(pieces[0])];
}

/** Epoch milliseconds, an ISO time (UTC unless it says otherwise), or a date: all of its day in UTC. */
function instants({ pieces, at }: Operand): [number, number] {
  const [text = ''] = pieces;
  if (pieces.length === 1 && /^-?\d{1,15}$/.test(text)) return [Number(text), Number(text)];
  const iso = /^(\d{4}-\d\d-\d\d)(T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)?(Z|[+-]\d\d:\d\d)?$/.exec(text);
  const [, date, time = '', zone = 'Z'] = iso ?? [];
  const start = date && (time || zone === 'Z') ? Date.parse(`${date}${time || 'T00:00'}${zone}`) : Number.NaN;
  if (pieces.length > 1 || Number.isNaN(start)) {
    throw invalidFilter(at, 'A time is expected, as epoch milliseconds or like 2026-01-31T12:00:00Z,');
  }
  return [start, time ? start : start + 86_399_999];
}

/** The text as itself in a GLOB pattern. */
function literal(text: string): string {
  return text.replace(/[*?[]/g, '[$&]');
}

/** A GLOB pattern for the text in any case: SQLite itself only knows the case of ASCII letters. */
function anyCase(text: string): string {
  return Array.from(text, (symbol) => {
    const forms = [symbol, symbol.toLowerCase(), symbol.toUpperCase()].filter((form) => [...form].length === 1);
    const distinct = [...new Set(forms)];
    return distinct.length === 1 ? literal(symbol) : `[${distinct.join('')}]`;
  }).join('');
}

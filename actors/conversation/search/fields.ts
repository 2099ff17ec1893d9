import { type Field, invalidFilter, type Operand } from '../../filter.ts';
import type { SearchIndex } from './index.ts';
import { instants, isWithin, limitsOf, type Range, wholeNumber } from './limits.ts';
import { between, having, matching } from './metadata.ts';
import { OrdinalSet } from './ordinals.ts';
import { isMadeOf, standsIn } from './patterns.ts';
import { isPhrase, saying, sayingAnything } from './words.ts';

/** How one field compares: which conversations a value, or a range, leaves. */
interface FieldComparison {
  match(value: Operand): OrdinalSet;
  /** Absent: the field has no order. */
  range?(range: Range): OrdinalSet;
}

type FieldOf = (index: SearchIndex) => FieldComparison;

const displayName: FieldOf = (index) => ({ match: (value) => named(index, value) });
const unreadCount: FieldOf = (index) => numeric(index, 'unread_count', wholeNumber);

/** The fields of conversations. */
const fields: Readonly<Record<string, FieldOf>> = {
  id: ({ columns }) => ({ match: (value) => columns.whereId(digitsOf(value)) }),
  channel_id: ({ columns }) => ({ match: (value) => columns.channels.where(columns.size, isId(value)) }),
  source: ({ columns }) => ({ match: (value) => columns.sources.where(columns.size, isExactly(value)) }),
  display_name: displayName,
  tag_ids: (index) => ({ match: (value) => tagged(index, value) }),
  unread_count: unreadCount,
  created_at: (index) => numeric(index, 'created_at', instants),
  text: (index) => ({ match: (value) => said(index, value) }),
};

/** What the hub keeps of the metadata itself. */
const ownMetadata: Readonly<Record<string, FieldOf>> = {
  'metadata.state': ({ columns }) => ({ match: (value) => columns.workflows.where(columns.size, isExactly(value)) }),
  'metadata.unread_count': unreadCount,
  'metadata.contact.displayName': displayName,
  'metadata.contact.display_name': displayName,
};

/** @throws Failure `invalid_filter` for a field that conversations do not have */
export function comparisonOf(index: SearchIndex, { path, at }: Field): FieldComparison {
  const name = path.join('.');
  for (const known of [fields, ownMetadata]) if (Object.hasOwn(known, name)) return known[name]!(index);
  const [first, ...below] = path;
  if (first === 'metadata' && below.length > 0) return metadata(index, below);
  throw invalidFilter(at, `An unknown field; known are ${Object.keys(fields).join(', ')}, metadata.*`);
}

/** A value without a field is a name, or what somebody says. Where a wildcard begins it, as inboxes ask, it is a name. */
export const namedOrSaid = (index: SearchIndex, value: Operand): OrdinalSet =>
  isPhrase(value) ? named(index, value).unite(said(index, value)) : named(index, value);

const isAnything = ({ pieces }: Operand): boolean => pieces.length > 1 && pieces.every((piece) => piece === '');

/** Upper and lower case count. */
const isExactly = (value: Operand): ((text: string) => boolean) =>
  isAnything(value) ? (text) => text !== '' : (text) => isMadeOf(value.pieces, text);

/** Dashes mean nothing in an id. */
const digitsOf = ({ pieces }: Operand): string[] => pieces.map((piece) => piece.toLowerCase().replaceAll('-', ''));

function isId(value: Operand): (digits: string) => boolean {
  const wanted = digitsOf(value);
  return (digits) => isMadeOf(wanted, digits);
}

/** The words stand somewhere in the name, in upper or lower case; `*` also stands for parts of words. */
function named({ columns }: SearchIndex, value: Operand): OrdinalSet {
  if (isAnything(value)) return columns.whereName((name) => name.length > 2);
  const pieces = value.pieces.map((piece) => piece.normalize('NFC').toLowerCase());
  return columns.whereName((name) => standsIn(pieces, name));
}

/** Deleted tags are nobody's, also before their conversations have dropped them. */
function tagged(index: SearchIndex, { pieces }: Operand): OrdinalSet {
  const wanted = pieces.map((piece) => piece.toLowerCase());
  const tags = index.tags().filter((tag) => isMadeOf(wanted, tag));
  return setOf(
    index,
    tags.flatMap((tag) => having(index.file, ['tags', tag])),
  );
}

function said(index: SearchIndex, value: Operand): OrdinalSet {
  index.mustKnow('messages');
  if (isAnything(value)) return setOf(index, sayingAnything(index.file));
  const set = new OrdinalSet(index.columns.size);
  for (const ordinals of saying(index.file, value, () => index.mustGoOn())) set.addAll(ordinals);
  return set;
}

function metadata(index: SearchIndex, path: readonly string[]): FieldComparison {
  return {
    match: (value) => setOf(index, isAnything(value) ? having(index.file, path) : matching(index.file, path, value)),
    range: (range) => setOf(index, between(index.file, path, range)),
  };
}

const setOf = ({ columns }: SearchIndex, ordinals: readonly number[]): OrdinalSet =>
  new OrdinalSet(columns.size).addAll(ordinals);

/** A column of whole numbers; `read` gives the first and the last number that a value stands for. */
function numeric(
  { columns }: SearchIndex,
  name: 'unread_count' | 'created_at',
  read: (value: Operand) => [number, number],
): FieldComparison {
  return {
    match(value) {
      if (isAnything(value)) return columns.present();
      const [from, to] = read(value);
      return columns.whereNumber(name, isWithin({ value: from }, { value: to }));
    },
    range: (range) => columns.whereNumber(name, isWithin(...limitsOf(range, read))),
  };
}

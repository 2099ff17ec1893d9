import { describe, expect, it } from 'vitest';
import { channels, conditionOf, found, problemOf, rows, uuidOf } from './filters-data.ts';

const matches: [filter: string, keys: string][] = [
  ['', 'abe'],
  ['  \n', 'abe'],
  [`id:${uuidOf('a')}`, 'a'],
  [`id:"${uuidOf('a').toUpperCase()}"`, 'a'],
  ['id:aaaaaaaa-aa*', 'a'],
  ['id:*', 'abe'],
  ['id:nothing', ''],
  [`channel_id:${channels.sms}`, 'ab'],
  [`NOT channel_id:${channels.sms}`, 'e'],
  ['source:shop', 'e'],
  ['source:SHOP', ''],
  ['source:twilio.*', 'ab'],
  ['source:*.sms', 'a'],
  ['source:twilio', ''],
  ['source:"twilio.*"', ''],
  ['source:(shop OR twilio.sms)', 'ae'],
  ['display_name:ann', 'a'],
  ['display_name:ANN', 'a'],
  ['display_name:ann*', 'ab'],
  ['display_name:*bel', 'b'],
  ['display_name:"ann smith"', 'a'],
  ['display_name:"smith ann"', ''],
  ['display_name:(smith ann)', 'a'],
  ['display_name:ångström', 'b'],
  ['display_name:åsa', 'b'],
  ['display_name:ngström', ''],
  ['display_name:*ström', 'b'],
  ['display_name:%', ''],
  ['display_name:100%', 'e'],
  ['display_name:_nn', ''],
  ['display_name:"[real]_*?"', 'e'],
  ['display_name:\\[real\\]_\\*?', 'e'],
  ['display_name:[a TO b] OR id:*', 'invalid'],
  ['display_name:"1*"', ''],
  ['display_name:1?0%', ''],
  ['source:twili?.*', ''],
  ['source:twili\\[o\\].*', ''],
  ['tag_ids:"t*"', ''],
  ['tag_ids:t1', 'ab'],
  ['tag_ids:t-2', 'a'],
  ['tag_ids:(t1 AND t-2)', 'a'],
  ['tag_ids:t*', 'ab'],
  ['tag_ids:*', 'ab'],
  ['NOT tag_ids:*', 'e'],
  ['metadata.tags.t1:*', 'ab'],
  ['metadata.tags.t1:x', 'ab'],
  ['unread_count:3', 'b'],
  ['unread_count:[1 TO *]', 'be'],
  ['unread_count:[* TO 3]', 'ab'],
  ['unread_count:[1 TO 11]', 'b'],
  ['unread_count:[* TO *]', 'abe'],
  ['metadata.unread_count:[1 TO *]', 'be'],
  ['created_at:2026-01-01', 'a'],
  ['created_at:2026-01-01T10:00:00Z', 'a'],
  ['created_at:2026-01-01T11:00:00+01:00', 'a'],
  ['created_at:1767225600000', ''],
  ['created_at:[2026-01-01 TO 2026-01-01]', 'a'],
  ['created_at:[2026-01-01T10:00:00.001Z TO *]', 'be'],
  ['created_at:["2026-01-02" TO 2026-01-31]', 'b'],
  [`created_at:[${rows.b.createdAt} TO *]`, 'be'],
  ['metadata.state:OPEN', 'a'],
  ['metadata.state:*', 'ab'],
  ['NOT metadata.state:CLOSED', 'ae'],
  ['metadata.contact.display_name:ann', 'a'],
  ['metadata.contact.displayName:ann', 'a'],
  ['metadata.contact.phone:+49:30', 'e'],
  ['metadata.user_data.vip:true', 'a'],
  ['metadata.user_data.vip:false', 'b'],
  ['metadata.user_data.score:7', 'ae'],
  ['metadata.user_data.score:12.5', 'b'],
  ['metadata.user_data.score:[1 TO 10]', 'a'],
  ['metadata.user_data.city:[A TO C]', 'b'],
  ['metadata.user_data.city:K*', 'a'],
  ['metadata.user_data.list:q', 'a'],
  ['metadata.user_data.gone:*', ''],
  ['metadata.user_data.nested:*', 'e'],
  ['metadata.user_data.nested:y', ''],
  ['metadata.user_data.nested.x:y', 'e'],
  ['metadata.user_data.a\\.b:dot', 'b'],
  ['metadata.user_data.q\\"\\\\:odd', 'b'],
  ['NOT metadata.user_data.absent:x', 'abe'],
  ['NOT metadata.user_data.absent:[1 TO 2]', 'abe'],
  ['source:shop OR unread_count:0 AND display_name:ann', 'ae'],
  ['(source:shop OR unread_count:0) AND display_name:ann', 'a'],
  ['unread_count:0 display_name:ann', 'a'],
  ['NOT unread_count:0 source:twilio.*', 'b'],
  ['NOT (unread_count:0 OR unread_count:3)', 'e'],
  ['NOT NOT unread_count:0', 'a'],
  ['source : shop', 'e'],
  [`source:"' OR 1=1 --"`, ''],
  [`metadata.x') OR 1=1 --:y`, 'invalid'],
];

const problems: [filter: string, problem: string][] = [
  ['text:hello', 'Full-text search with "text" is not available yet at position 1'],
  ['source:a AND text:hello', 'Full-text search with "text" is not available yet at position 14'],
  ['hello', 'A ":" is missing after the field at position 6'],
  ['nope:1', expect.stringMatching(/^An unknown field; .* at position 1$/)],
  ['__proto__:1', expect.stringMatching(/^An unknown field; .* at position 1$/)],
  ['source:', 'A value is missing before the end at position 8'],
  ['source:a AND', 'A field is missing before the end at position 13'],
  ['OR source:a', 'A ":" is missing after the field at position 4'],
  ['(source:a', 'A parenthesis without its end at position 1'],
  ['source:a)', 'An unexpected ")" at position 9'],
  ['source:"a', 'A quotation mark without its end at position 8'],
  ['source:a\\', 'A field is missing before "\\\\" at position 9'],
  ['metadata:x', expect.stringMatching(/^An unknown field/)],
  ['metadata..a:x', 'A field with an empty part at position 1'],
  ['unread_count:many', 'A whole number is expected at position 14'],
  ['unread_count:[1 TO x]', 'A whole number is expected at position 20'],
  ['unread_count:[1 5]', 'A range is written [a TO b]; TO is missing at position 17'],
  ['unread_count:[1 TO 5', 'A range without its end at position 14'],
  ['unread_count:[1* TO 5]', 'A wildcard inside the end of a range at position 15'],
  ['created_at:2026-13-01', expect.stringMatching(/^A time is expected.* at position 12$/)],
  ['source:[a TO b]', 'A range on a field without an order at position 1'],
  ['source:a\0', 'A NUL character at position 9'],
];

const beyondBounds: [bound: string, filter: string, problem: string][] = [
  ['parentheses', `${'('.repeat(65)}source:a${')'.repeat(65)}`, 'More than 64 levels at position 65'],
  ['NOT', `${'NOT '.repeat(65)}source:a`, 'More than 64 levels at position 259'],
  ['comparisons', 'id:a '.repeat(257), 'More than 256 comparisons at position 1281'],
  ['bytes', `source:${'ä'.repeat(4093)}`, 'More than 8192 bytes at position 1'],
];

describe('filters', () => {
  it.each(matches)('%s leaves %j', (filter, keys) => {
    if (keys === 'invalid') expect(problemOf(filter)).toMatch(/at position \d+$/);
    else expect(found(filter)).toBe(keys);
  });

  it.each(problems)('%j is refused with its position', (filter, problem) => {
    expect(problemOf(filter)).toEqual(problem);
  });

  it.each(beyondBounds)('refuses more %s than the bound', (_, filter, problem) => {
    expect(problemOf(filter)).toBe(problem);
  });

  it('puts nothing of the input into the SQL', () => {
    const [one, other] = ["metadata.k1:'v1' OR display_name:w1*", 'metadata.k2:v2 OR display_name:"w2"'].map(
      conditionOf,
    );
    expect(one?.where).toBe(other?.where);
  });

  it.each([
    ['nesting', `${'(NOT '.repeat(32)}id:a${')'.repeat(32)}`],
    ['width', 'metadata.a:[1 TO 2] '.repeat(256)],
    ['length', `display_name:${'a'.repeat(8170)}`],
    ['wildcards', `display_name:${'a*'.repeat(4080)}`],
  ])('runs at the bound of %s', (_, filter) => {
    expect(found(filter)).toBeTypeOf('string');
  });
});

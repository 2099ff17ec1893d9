import type { Mutant } from '../mutant.ts';

const index = 'test/actors/search.test.ts';
const filters = 'test/http/filters.test.ts';

/** Filters of lists, and the index that they are looked up in. */
export const search: readonly Mutant[] = [
  {
    name: 'old-metadata-still-found',
    file: 'actors/conversation/search/conversations.ts',
    from: 'forget.run(ordinal);',
    to: '',
    breaks: 'a conversation is found by what it no longer is',
    caughtBy: { file: index, title: 'what is said and changed is found' },
  },
  {
    name: 'forgotten-journal-not-noticed',
    file: 'actors/conversation/search/conversations.ts',
    from: 'if (from + 1 < shard.shard * keysPerShard + shard.horizon) return this.#reload();',
    to: '',
    breaks: 'what changed while nobody followed is never found',
    caughtBy: { file: index, title: 'what the journal has forgotten is found all the same' },
  },
  {
    name: 'words-of-an-erased-message-kept',
    file: 'actors/conversation/search/messages.ts',
    from: 'this.#index.exec("INSERT INTO words (words) VALUES (\'optimize\')");',
    to: '',
    breaks: 'what was erased can be read in the file of the index',
    caughtBy: { file: index, title: 'of an erased message no word stays in the file' },
  },
  {
    name: 'index-of-a-later-time-taken',
    file: 'actors/conversation/search/index.ts',
    from: 'if (!this.#messages.fits) this.#startAnew();',
    to: '',
    breaks: 'after a restore, messages that never were are found, and new ones are not',
    caughtBy: { file: index, title: 'a file that' },
  },
  {
    name: 'bare-word-looked-for-in-names-only',
    file: 'actors/conversation/search/fields.ts',
    from: 'named(index, value).unite(said(index, value))',
    to: 'named(index, value)',
    breaks: 'a word that somebody said is not found',
    caughtBy: { file: filters, title: ' leaves ' },
  },
  {
    name: 'deleted-tag-found',
    file: 'actors/conversation/search/fields.ts',
    from: 'index.tags().filter((tag) => isMadeOf(wanted, tag))',
    to: '[...index.tags().filter((tag) => isMadeOf(wanted, tag)), ...wanted]',
    breaks: 'conversations have a tag that was deleted',
    caughtBy: { file: filters, title: ' leaves ' },
  },
  {
    name: 'quotation-mark-reaches-the-query',
    file: 'actors/conversation/search/words.ts',
    from: "phrase.replaceAll('\"', '\"\"')",
    to: 'phrase',
    breaks: 'what is asked for is taken for operators of the index',
    caughtBy: { file: filters, title: ' leaves ' },
  },
  {
    name: 'excluded-day-begins-at-its-start',
    file: 'actors/conversation/search/limits.ts',
    from: 'read(from)[from.excluded ? 1 : 0]',
    to: 'read(from)[0]',
    breaks: 'a range behind a day has that day in it',
    caughtBy: { file: filters, title: ' leaves ' },
  },
  {
    name: 'operator-taken-literally',
    file: 'src/http/filters/grammar.ts',
    from: 'if (sign === undefined) return;\n    throw',
    to: 'if (sign !== null) return;\n    throw',
    breaks: 'a filter that the hub does not understand finds something else',
    caughtBy: { file: filters, title: 'is refused with its position' },
  },
  {
    name: 'filter-without-a-bound',
    file: 'src/http/filters/grammar.ts',
    from: 'if (this.#terms > maximumTerms) throw',
    to: 'if (this.#terms > maximumBytes) throw',
    breaks: 'one request keeps the index busy',
    caughtBy: { file: filters, title: 'refuses more' },
  },
  {
    name: 'walk-with-a-filter-loses-who-moves',
    file: 'actors/conversation/search/places.ts',
    from: 'if (at !== null && isFound(index, found, key)) offer(at, key);',
    to: 'if (at === 0 && isFound(index, found, key)) offer(at, key);',
    breaks: 'who writes during a walk is in no page of it',
    caughtBy: {
      file: 'test/actors/conversation-walks.test.ts',
      title: 'who moves to where the walk has just been is met once',
    },
  },
];

import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { commentsOf, filesBelow } from './architecture/scan.ts';

const root = join(import.meta.dirname, '..');
const readme = { path: 'README.md', text: readFileSync(join(root, 'README.md'), 'utf8') };
const pages = [...filesBelow(root, 'docs', /\.md$/), readme];
const folders = ['state-machines', 'actors', 'src', 'test', 'bench', 'web'];
const sources = folders.flatMap((folder) => filesBelow(root, folder, /\.(?:ts|tsx|mjs)$/));
const textOf = new Map(pages.map(({ path, text }) => [path, text]));

/** Paths named in code spans, from the root. A path with a placeholder (`<…>`) or a pattern is none. */
const namedPaths = (text: string): string[] =>
  [...text.matchAll(/`((?:src|actors|state-machines|test|docs|web|bench|\.ci)\/[\w./-]*)`/g)].map(([, path]) => path!);

/** Links inside the documentation: page (empty: the same one) and part. */
const linksOf = (text: string): { target: string; part: string | null }[] =>
  [...text.matchAll(/\]\((?!\w+:)([^)#\s]*)(?:#([^)\s]+))?[^)]*\)/g)].map(([, target, part]) => {
    return { target: target!, part: part ?? null };
  });

const headingsOf = (text: string): string[] => [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading]) => heading!);

/** The part's name in a link, as the usual viewers make it. */
const slugOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');

/** Pages too long to be cited as a whole. */
const pagesInParts = ['docs/api.md', 'docs/architecture.md'];

/** What is wrong with the pages that a comment cites: `docs/api.md, "Events"`, or "decision 12". */
function problemsOfCitations(comment: string, texts: ReadonlyMap<string, string>): string[] {
  const cited = [...comment.matchAll(/([\w./-]*\w\.md)\b(?:, "([^"]+)")?/g)];
  const decisions = [...comment.matchAll(/\b(?:decisions?|ADR) (\d+)/gi)].map(([, number]) => number!);
  return [
    ...cited.flatMap(([citation, path, heading]) => {
      const text = texts.get(path!);
      if (text === undefined) return [`${citation}: there is no such page`];
      if (heading === undefined) return pagesInParts.includes(path!) ? [`${citation}: it names no part`] : [];
      return headingsOf(text).includes(heading) ? [] : [`${citation}: there is no such part`];
    }),
    ...decisions
      .filter((number) => ![...texts.keys()].some((path) => path.startsWith(`docs/adr/${number.padStart(4, '0')}-`)))
      .map((number) => `decision ${number}: there is none`),
  ];
}

describe('documentation', () => {
  it('names only paths that exist', () => {
    const missing = pages.flatMap(({ path, text }) =>
      namedPaths(text)
        .filter((name) => !existsSync(join(root, name)))
        .map((name) => `${path}: ${name}`),
    );
    expect(missing).toEqual([]);
  });

  it('links only to pages and parts that exist', () => {
    const broken = pages.flatMap(({ path, text }) =>
      linksOf(text)
        .filter(({ target, part }) => {
          const file = target === '' ? path : join(dirname(path), target);
          if (!existsSync(join(root, file))) return true;
          return part !== null && !headingsOf(textOf.get(file) ?? '').some((heading) => slugOf(heading) === part);
        })
        .map(({ target, part }) => `${path}: ${target}${part === null ? '' : `#${part}`}`),
    );
    expect(broken).toEqual([]);
  });

  it('finds paths and links in a page', () => {
    const page =
      'See `src/http/app.ts`, `actors/<kind>/handlers.ts` and [the words](../terminology.md#words), [a](#b).';
    expect(namedPaths(page)).toEqual(['src/http/app.ts']);
    expect(linksOf(page)).toEqual([
      { target: '../terminology.md', part: 'words' },
      { target: '', part: 'b' },
    ]);
    expect(slugOf('The log: `append`, once')).toBe('the-log-append-once');
  });

  it('is cited by comments, pages and parts that exist', () => {
    const problems = sources.flatMap(({ path, text }) =>
      commentsOf(text).flatMap((comment) =>
        problemsOfCitations(comment, textOf).map((problem) => `${path}: ${problem}`),
      ),
    );
    expect(problems).toEqual([]);
  });

  it('would notice a citation of what is not there', () => {
    const texts = new Map([
      ['docs/api.md', '# The API\n\n## Events\n'],
      ['docs/errors.md', '# Errors\n'],
      ['docs/adr/0012-rows.md', '# 12. Rows\n'],
    ]);
    const wrong = ['decisions.md §9', 'docs/api.md, "Evnts"', 'docs/api.md', '/docs/errors.md', 'ADR 13', 'decision 2'];
    for (const citation of wrong) {
      const [comment = ''] = commentsOf(`/**\n * Waits, in ms (${citation}).\n */\nconst a = 1;`);
      expect(problemsOfCitations(comment, texts), citation).toHaveLength(1);
    }
    const [right = ''] = commentsOf(`// See docs/errors.md, docs/api.md, "Events" and decision 12.\nconst a = 'b.md';`);
    expect(right).toContain('decision 12');
    expect(problemsOfCitations(right, texts)).toEqual([]);
  });

  it('explains each word once', () => {
    const words = [...textOf.get('docs/terminology.md')!.matchAll(/^\| (.+?) \|/gm)]
      .flatMap(([, cell]) => cell!.split(', '))
      .filter((word) => word !== 'word');
    expect(words.length).toBeGreaterThan(80);
    expect(words.filter((word, index) => words.indexOf(word) !== index)).toEqual([]);
  });

  it('keeps decisions and how-to pages to 40 lines', () => {
    const short = pages.filter(({ path }) => /^docs\/(?:adr|how-to)\//.test(path));
    expect(short.length).toBeGreaterThan(12);
    const long = short.filter(({ text }) => lineCount(text) > 40).map(({ path }) => path);
    expect(long).toEqual([]);
  });

  it.each([
    ['README.md', 150],
    ['docs/architecture.md', 250],
  ])('keeps %s to %i lines', (path, lines) => {
    expect(lineCount(textOf.get(path)!)).toBeLessThanOrEqual(lines);
  });
});

const lineCount = (text: string): number => text.trimEnd().split('\n').length;

import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { filesBelow } from './architecture/scan.ts';

const root = join(import.meta.dirname, '..');
const pages = filesBelow(root, 'docs', /\.md$/);

/** Paths named in code spans, from the root. A path with a placeholder (`<…>`) or a pattern is none. */
const namedPaths = (text: string): string[] =>
  [...text.matchAll(/`((?:src|actors|state-machines|test|docs|web|bench|\.ci)\/[\w./-]*)`/g)].map(([, path]) => path!);

/** Targets of links inside the documentation. */
const linkTargets = (text: string): string[] =>
  [...text.matchAll(/\]\((?!\w+:)([^)#\s]+)[^)]*\)/g)].map(([, target]) => target!);

describe('documentation', () => {
  it('names only paths that exist', () => {
    const missing = pages.flatMap(({ path, text }) =>
      namedPaths(text)
        .filter((name) => !existsSync(join(root, name)))
        .map((name) => `${path}: ${name}`),
    );
    expect(missing).toEqual([]);
  });

  it('links only to pages that exist', () => {
    const broken = pages.flatMap(({ path, text }) =>
      linkTargets(text)
        .filter((target) => !existsSync(join(root, dirname(path), target)))
        .map((target) => `${path}: ${target}`),
    );
    expect(broken).toEqual([]);
  });

  it('finds paths and links in a page', () => {
    const page = 'See `src/http/app.ts`, `actors/<kind>/handlers.ts` and [the words](../terminology.md#words).';
    expect(namedPaths(page)).toEqual(['src/http/app.ts']);
    expect(linkTargets(page)).toEqual(['../terminology.md']);
  });

  it('keeps decisions and how-to pages to 40 lines', () => {
    const short = pages.filter(({ path }) => /^docs\/(?:adr|how-to)\//.test(path));
    expect(short.length).toBeGreaterThan(12);
    const long = short.filter(({ text }) => lineCount(text) > 40).map(({ path }) => path);
    expect(long).toEqual([]);
  });
});

const lineCount = (text: string): number => text.trimEnd().split('\n').length;

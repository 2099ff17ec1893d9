import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';

/** A file of the project: its path from the root, with `/`, and its text. */
export interface SourceFile {
  path: string;
  text: string;
}

export interface Import {
  /** As written. */
  specifier: string;
  /** Path from the project's root, or null for packages. */
  target: string | null;
  /** `import type` and `export type`: gone at run time. */
  typeOnly: boolean;
}

const aliases: Record<string, string> = {
  ...{ '#machines/': 'state-machines/', '#actors/': 'actors/', '#src/': 'src/' },
  '#web/': 'web/',
};

/** The files below a folder, by path. A folder that does not exist has none. */
export function filesBelow(root: string, folder: string, ending: RegExp): SourceFile[] {
  let entries: { name: string; isDirectory(): boolean }[];
  try {
    entries = readdirSync(join(root, folder), { withFileTypes: true });
  } catch {
    return [];
  }
  return entries.flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return ['node_modules', 'dist'].includes(entry.name) ? [] : filesBelow(root, path, ending);
    return ending.test(entry.name) ? [{ path, text: readFileSync(join(root, path), 'utf8') }] : [];
  });
}

/** The first part of a path: `src`, `actors`, … */
export const topLevel = (path: string): string => path.split('/')[0]!;

/** The text without comments and without what is in single and double quotes; line breaks stay. */
export function codeOf(text: string): string {
  return withoutComments(text).replace(/'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"/g, "''");
}

/** What is in quotes, which is the first group, and comments: a comment mark inside a string is none. */
const quotesAndComments =
  /('(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`)|\/\*[\s\S]*?\*\/|(?<![\\/[])\/\/[^\n]*/g;

/** The text without comments. */
export function withoutComments(text: string): string {
  return text.replace(quotesAndComments, (match, quoted: string | undefined) => quoted ?? match.replace(/[^\n]/g, ' '));
}

/** The comments of a text, each as one line. */
export const commentsOf = (text: string): string[] =>
  [...text.matchAll(quotesAndComments)]
    .filter(([, quoted]) => quoted === undefined)
    .map(([comment]) => comment.replace(/\s*\n\s*(?:\* ?)?/g, ' '));

/** Static and dynamic imports and re-exports. Statements begin their line; formatted code does not have it otherwise. */
export function importsOf({ path, text }: SourceFile): Import[] {
  const found: Import[] = [];
  const add = (specifier: string, typeOnly: boolean) => {
    found.push({ specifier, target: targetOf(path, specifier), typeOnly });
  };
  const code = withoutComments(text);
  for (const [, kind, from] of code.matchAll(
    /^(?:import|export)\s+(type\s+)?[\w*{][^'"();=]*?\sfrom\s*['"]([^'"]+)['"]/gm,
  )) {
    add(from!, kind !== undefined);
  }
  for (const [, name] of code.matchAll(/^import\s*['"]([^'"]+)['"]/gm)) add(name!, false);
  for (const [, name] of code.matchAll(/\bimport\(\s*['"]([^'"]+)['"]\s*\)/g)) add(name!, false);
  return found;
}

function targetOf(path: string, specifier: string): string | null {
  if (specifier.startsWith('.')) return posix.normalize(posix.join(posix.dirname(path), specifier));
  const alias = Object.keys(aliases).find((start) => specifier.startsWith(start));
  return alias ? aliases[alias] + specifier.slice(alias.length) : null;
}

/** Titles of `it`, `test` and `describe`, also behind `.each(…)` and the like. Titles that are no literal are left out. */
export function titlesOf({ text }: SourceFile): string[] {
  const code = withoutComments(text);
  const titles: string[] = [];
  for (const match of code.matchAll(/^[ \t]*(?:it|test|describe)((?:\.\w+)*)(?=[(<`])/gm)) {
    let at = match.index + match[0].length;
    if (/\.(?:each|for|skipIf|runIf)$/.test(match[1]!)) at = endOfGroup(code, at);
    const literal = /^\(\s*(['"`])((?:\\.|(?!\1)[^\\])*)\1/.exec(code.slice(at));
    if (literal) titles.push(literal[2]!);
  }
  return titles;
}

/** The index behind the bracket that closes the first one at or after `at`. Brackets in quotes do not count. */
function endOfGroup(code: string, at: number): number {
  const token = /(['"`])(?:\\.|(?!\1)[^\\])*\1|[()]/g;
  token.lastIndex = at;
  let depth = 0;
  for (let match = token.exec(code); match; match = token.exec(code)) {
    if (match[0] === '(') depth += 1;
    if (match[0] === ')') depth -= 1;
    if (depth === 0) return token.lastIndex;
  }
  return code.length;
}

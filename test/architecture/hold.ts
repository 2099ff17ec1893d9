import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Rule } from './rule.ts';
import { filesBelow, type SourceFile } from './scan.ts';

export const root = join(import.meta.dirname, '..', '..');
const folders = ['state-machines', 'actors', 'src', 'test', 'bench', 'web'];

/** Every file of code of the project. */
export const projectFiles = folders.flatMap((folder) => filesBelow(root, folder, /\.(?:ts|tsx|mjs)$/));

/** A made-up file. */
export const file = (path: string, ...lines: string[]): SourceFile => ({ path, text: lines.join('\n') });

/** A rule with files that break it, each by itself, and files that do not. */
export type RuleCase = [title: string, rule: Rule, offenders: SourceFile[], allowed: SourceFile[]];

/** Holds the project to rules, and the rules to what they must notice. */
export function hold(cases: readonly RuleCase[]): void {
  it.each(cases)('%s', (_, rule) => {
    expect(rule(projectFiles)).toEqual([]);
  });

  it.each(cases)('would notice: %s', (_, rule, offenders, allowed) => {
    const problems = rule(offenders);
    for (const { path } of offenders) expect(problems.join('\n')).toContain(path);
    expect(rule(allowed)).toEqual([]);
  });
}

/** A test that must notice: its file, and its title or the part of it that stands in the file. */
export interface Watcher {
  file: string;
  title: string;
  /** Where the title stands, when the file runs tests of a suite. */
  suite?: string;
}

/** A small, deliberate defect. */
export interface Mutant {
  /** Words with hyphens, for the command line. */
  name: string;
  file: string;
  /** The text that it replaces: exactly once in the file. */
  from: string;
  to: string;
  /** What goes wrong for somebody. */
  breaks: string;
  caughtBy: Watcher;
  /** Of the write path: whether the simulation must notice as well, of one node or of two, or why it can not. */
  simulation?: 'notices' | 'notices with two nodes' | { blind: string };
}

const occurrences = (text: string, part: string): number => text.split(part).length - 1;

/** Why a mutant can not be put into its file any more: the code has changed, and the mutant has not. Null: it can. */
export function misfitOf(text: string | null, { name, file, from }: Mutant): string | null {
  if (text === null) return `${name}: there is no ${file} any more. Fit the mutant to the code.`;
  const found = occurrences(text, from);
  if (found === 1) return null;
  return `${name}: its text stands ${found} times in ${file}, not once. Fit the mutant to the code.`;
}

/** The text of the mutant's file with the defect in it. @throws Error when it does not fit */
export function mutated(text: string | null, mutant: Mutant): string {
  const misfit = misfitOf(text, mutant);
  if (misfit !== null) throw new Error(misfit);
  return text!.replace(mutant.from, () => mutant.to);
}

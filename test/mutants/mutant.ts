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
  /** Of the write path: whether the simulation must notice as well, or why it can not. */
  simulation?: 'notices' | { blind: string };
}

/** How often a text stands in another. */
export const occurrences = (text: string, part: string): number => text.split(part).length - 1;

/** @throws Error when the text to replace is not there exactly once: the code has changed and the mutant has not */
export function mutated(text: string, { name, file, from, to }: Mutant): string {
  const found = occurrences(text, from);
  if (found !== 1) {
    throw new Error(`${name}: its text stands ${found} times in ${file}, not once. Fit the mutant to the code.`);
  }
  return text.replace(from, () => to);
}

import { importsOf, type SourceFile } from './scan.ts';

/** Says what is against the rule, one sentence each. */
export type Rule = (files: SourceFile[]) => string[];

export const perFile =
  (problemsOf: (file: SourceFile) => string[]): Rule =>
  (files) =>
    files.flatMap((file) => problemsOf(file).map((problem) => `${file.path}: ${problem}`));

export const perImport = (problemOf: (path: string, specifier: string, target: string | null) => string | null): Rule =>
  perFile((file) =>
    importsOf(file)
      .map(({ specifier, target }) => problemOf(file.path, specifier, target))
      .filter((problem) => problem !== null),
  );

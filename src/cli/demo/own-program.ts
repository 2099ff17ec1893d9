import { isSea } from 'node:sea';

/** How to run this very program with other arguments: as a script under Node, or as a single binary. */
export function ownProgram(args: readonly string[]): [string, string[]] {
  const script = isSea() ? [] : [...process.execArgv, process.argv[1] ?? ''];
  return [process.execPath, [...script, ...args]];
}

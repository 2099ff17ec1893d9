import { isMap, isPair, isScalar, LineCounter, type Node, type Pair, parseDocument } from 'yaml';
import type { ConfigProblem } from './problem.ts';

/** A parsed file: plain values, and the place of each key for problems. */
export interface ConfigFile {
  values: unknown;
  problems: ConfigProblem[];
  /** `name:line:column` of the key, or of its nearest section that is written. */
  place(path: readonly string[]): string;
}

/** The parser's codes in words of our own: its messages may repeat the text at fault, and that could be a secret. */
const syntaxReasons: Record<string, string> = {
  BAD_ALIAS: 'an alias (*) that names no anchor: put text that starts with * in quotes',
  BAD_INDENT: 'the indentation does not fit',
  BAD_SCALAR_START: 'text that starts with this character must be in quotes',
  BLOCK_IN_FLOW: 'a block can not stand inside { } or [ ]',
  DUPLICATE_KEY: 'this key is written twice',
  MISSING_CHAR: 'a character is missing, such as a closing quote or bracket',
  MULTILINE_IMPLICIT_KEY: 'a key must stand on one line and end with a colon',
  MULTIPLE_DOCS: 'only one document is allowed',
  TAB_AS_INDENT: 'tabs can not indent: use spaces',
};

/** The node at a path, or the deepest one that exists: the key where there is one, else the value. */
function nodeAt(root: unknown, path: readonly string[]): Node | undefined {
  let at = root;
  let found: Node | undefined;
  for (const name of path) {
    if (!isMap(at)) break;
    const pair: Pair | undefined = at.items.find(
      (item) => isPair(item) && isScalar(item.key) && item.key.value === name,
    );
    if (!pair) break;
    found = pair.key as Node;
    at = pair.value;
  }
  return found;
}

/** Parses a configuration file. `name` is what problems call it. */
export function parseConfigFile(text: string, name: string): ConfigFile {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const placeOf = (offset: number): string => {
    const { line, col } = lines.linePos(offset);
    return `${name}:${Math.max(line, 1)}:${Math.max(col, 1)}`;
  };
  const problems = document.errors.map(({ code, pos }) => ({
    place: placeOf(pos[0]),
    key: '',
    reason: `is not valid YAML: ${syntaxReasons[code] ?? code.toLowerCase().replaceAll('_', ' ')}`,
  }));
  return {
    values: problems.length > 0 ? null : plainValues(document.toJS.bind(document), problems, placeOf(0)),
    problems,
    place: (path) => placeOf(nodeAt(document.contents, path)?.range?.[0] ?? 0),
  };
}

/** The parser refuses aliases that would unfold into very much; that is a problem like the others. */
function plainValues(convert: () => unknown, problems: ConfigProblem[], place: string): unknown {
  try {
    return convert();
  } catch {
    problems.push({ place, key: '', reason: 'has too many or unknown aliases (*)' });
    return null;
  }
}

import { kinds } from '#actors/kinds.ts';
import { perFile, type Rule } from './rule.ts';
import { codeOf, importsOf, withoutComments } from './scan.ts';

/** Rooms of all kinds, and the lists that are made of the list of kinds. The schema's history tells of every table. */
const roomsOfAllKinds = /^actors\/(?:(?:runtime|store|log|journal)\/(?!migrations\/)|(?:commands|store-reader)\.ts$)/;
/** Rooms of the outside that carry commands and events of any kind. */
const carriers = /^src\/(?:node|runtime|nats|realtime)\//;
/** What is kept of sources and channels beside the file, and forgotten with their commands. */
const remembered = 'src/node/remembered.ts';
/** Words that kinds share, besides the list of kinds. */
const wordsOfAll = /^actors\/(?!kinds\.ts$)[^/]+\.ts$/;
/** What a kind shows to others: what may be told to it, its rows, and how they are shown and read. */
const shown = /\/(?:contract|tables|representation|(?:[a-z]+-)*reader)\.ts$/;

/** The folder of a kind, whether it is listed or not. */
const folderOf = (path: string | null): string | null =>
  /^actors\/(?!(?:runtime|store|log|journal|dead-letter)\/)[^/]+\//.exec(path ?? '')?.[0] ?? null;

const anyOf = (words: readonly string[]): string => words.map((word) => word.replaceAll('.', '\\.')).join('|');
const names = kinds.map(({ name }) => name);
const commands = kinds.flatMap(({ handlers }) => Object.keys(handlers));
const tables = kinds.flatMap(({ table, tables: others = [] }) => [table, ...others].map(({ name }) => name));
const quoted = new RegExp(`['"\`](?:${anyOf([...names, ...commands])})['"\`]`);
const queried = new RegExp(`\\b(?:FROM|JOIN|INTO|UPDATE)\\s+(?:${anyOf(tables)})\\b`);

/** Only the list of kinds knows a kind, its commands or its tables by name: whatever handles all of them takes the list. */
export const kindsHaveOneHome = perFile((file) => {
  const isRoom = roomsOfAllKinds.test(file.path);
  const mayImport = !isRoom && !wordsOfAll.test(file.path);
  const mayName = !isRoom && (!carriers.test(file.path) || file.path === remembered);
  const imports = importsOf(file).filter(({ target }) => !mayImport && folderOf(target) !== null);
  const text = withoutComments(file.text);
  return [
    ...imports.map(({ specifier }) => `imports ${specifier}`),
    ...(!mayName && quoted.test(text) ? ['names a kind, or a command of one'] : []),
    ...(!mayName && queried.test(text) ? ['reads the table of a kind'] : []),
  ];
});

/** A kind that is not in the list answers nobody. */
export const kindsAreListed: Rule = (files) => {
  const list = files.find(({ path }) => path === 'actors/kinds.ts');
  const listed = list ? importsOf(list).map(({ target }) => target) : [];
  return files
    .filter(({ path }) => /^actors\/(?!runtime\/)[^/]+\/kind\.ts$/.test(path) && !listed.includes(path))
    .map(({ path }) => `${path} is not in actors/kinds.ts`);
};

export const kindsMeetInWhatTheyShow = perFile((file) => {
  const own = folderOf(file.path);
  const foreign = importsOf(file).filter(({ target }) => ![null, own].includes(folderOf(target)));
  return foreign
    .filter(({ target }) => own !== null && !shown.test(target!))
    .map(({ specifier }) => `imports ${specifier}, which its kind keeps to itself`);
});

/** An actor is the only writer of its rows: another kind may read its tables, and tells it what is to change. */
export const rowsHaveOneWriter = perFile((file) => {
  const own = folderOf(file.path);
  if (own === null) return [];
  const code = withoutComments(file.text);
  const imports = [...code.matchAll(/^import \{([^}]*)\} from '\.\.\/(?!store\/)[^']+\/tables\.ts'/gm)];
  const foreign = imports.flatMap(([, list]) => list!.split(',').map((name) => name.trim()));
  return foreign
    .filter((name) => new RegExp(`\\b${name}\\s*\\.\\s*(?:insert|update|remove|cut)\\(`).test(code))
    .map((name) => `changes ${name}, which are another kind's`);
});

const unrepeatable =
  /\bDate\.now\b|\bnew Date\(\)|\b(?:Temporal|performance|process|setTimeout|setInterval|setImmediate)\b|\bMath\s*\.\s*random\b|\brandom(?:UUID|Bytes|Int)\b|\bgetRandomValues\b|\bfetch\(/g;

/** A command that is handled again must come to the same: time and chance come in with it. */
export const handlersAreRepeatable = perFile(({ path, text }) =>
  folderOf(path) === null ? [] : [...codeOf(text).matchAll(unrepeatable)].map(([word]) => `uses ${word}`),
);

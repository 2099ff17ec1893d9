import { perFile, perImport, type Rule } from './rule.ts';
import { codeOf, importsOf, titlesOf, topLevel, withoutComments } from './scan.ts';

const below: Record<string, string[]> = {
  'state-machines': ['state-machines'],
  actors: ['state-machines', 'actors'],
  src: ['state-machines', 'actors', 'src'],
};

/** The manifest is data that any file may read: version, name. */
const manifest = 'package.json';

export const importsPointOneWay = perImport((path, specifier, target) => {
  const allowed = below[topLevel(path)];
  return allowed && target && target !== manifest && !allowed.includes(topLevel(target))
    ? `imports upwards: ${specifier}`
    : null;
});

export const machinesImportOnlyXstate = perImport((path, specifier, target) =>
  topLevel(path) === 'state-machines' && !target && specifier !== 'xstate' ? `imports ${specifier}` : null,
);

export const foldersMeetThroughAliases = perImport((path, specifier, target) =>
  specifier.startsWith('.') && target && target !== manifest && topLevel(target) !== topLevel(path)
    ? `leaves its folder: ${specifier}`
    : null,
);

/** What may know the HTTP API: itself, and what puts a hub together. */
const knowHttp = ['src/http/', 'src/node/', 'src/hub.ts'];

/** Callers, signatures, metrics and the like belong to every door of the hub, not to HTTP. */
export const httpIsNobodysBase = perImport((path, specifier, target) =>
  topLevel(path) === 'src' && target?.startsWith('src/http/') && !knowHttp.some((start) => path.startsWith(start))
    ? `imports the HTTP API: ${specifier}`
    : null,
);

/** What browsers load knows the hub by its API alone. */
export const pagesStandAlone = perImport((path, specifier, target) =>
  topLevel(path) === 'web' && target && topLevel(target) !== 'web' ? `imports what is the hub's: ${specifier}` : null,
);

const table = 'src/http/operations.ts';

/** `/sources.channels.create` → `src/http/sources/channels/create.ts`, `/chatplugin.resumeToken` → `…/resume-token.ts`. */
const fileOfOperation = (path: string): string => {
  const kebab = path.slice(1).replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  return `src/http/${kebab.replaceAll('.', '/')}.ts`;
};

/** A file of one operation stands where its URL says, and in the table: else nobody can call it, and no test asks it. */
export const operationsAreListed: Rule = (files) => {
  const listed = files.find(({ path }) => path === table);
  const imported = new Set(listed ? importsOf(listed).map(({ target }) => target) : []);
  const names = /operations[^=]*=\s*\[([\s\S]*?)\]/.exec(withoutComments(listed?.text ?? ''))?.[1] ?? '';
  return files.flatMap(({ path, text }) => {
    const code = withoutComments(text);
    if (topLevel(path) !== 'src' || path === 'src/http/operation.ts') return [];
    return [...code.matchAll(/(?:export const (\w+)[^=]*=\s*)?\bdefine(?:Operation|Read)\b[<(]/g)].flatMap((match) => {
      const name = match[1] ?? 'something that is not exported';
      const rest = code.slice(match.index);
      // Of operations that are made of the forms of a list the path has a gap.
      const family = /^[^;]*?\bpath:\s*`\/(\w+)\.\$\{/.exec(rest)?.[1];
      if (family !== undefined) return isFamilyListed(path, family, imported) ? [] : [`${path}: is not in ${table}`];
      const url = /\bpath:\s*'(\/[^']+)'/.exec(rest)?.[1] ?? '';
      const home = fileOfOperation(url) === path ? [] : [`${path}: ${url || 'no path'} belongs elsewhere`];
      const known = imported.has(path) && new RegExp(`\\b${name}\\b`).test(names);
      return [...home, ...(known ? [] : [`${path}: ${name} is not in ${table}`])];
    });
  });
};

const isFamilyListed = (path: string, family: string, imported: ReadonlySet<string | null>): boolean =>
  path.startsWith(`src/http/${family}/`) && imported.has(path);

/** An id that an operation makes is the same one when its request comes again with its Idempotency-Key. */
export const operationsMakeTheSameIds = perFile(({ path, text }) => {
  const code = codeOf(text);
  if (topLevel(path) !== 'src' || !/\bdefineOperation\(\{/.test(code)) return [];
  return [...code.matchAll(/\bids\.uuid\b|\brandomUUID\b/g)].map(([word]) => `uses ${word} instead of newId`);
});

const homes: [packageName: RegExp, homes: string[]][] = [
  [/^better-sqlite3(\/|$)/, ['actors/store/', 'test/', 'bench/']],
  [/^@nats-io\//, ['src/nats/', 'test/', 'bench/']],
];

export const driversStayHome = perImport((path, specifier) => {
  const home = homes.find(([name]) => name.test(specifier));
  return home && !home[1].some((folder) => path.startsWith(folder))
    ? `imports ${specifier} outside ${home[1][0]}`
    : null;
});

/** Imports of types too: a circle of thoughts is one, whether it is gone at run time or not. */
export const noCycle: Rule = (files) => {
  const edges = new Map(files.map((file) => [file.path, importsOf(file)]));
  const done = new Set<string>();
  const cycles: string[] = [];
  const visit = (path: string, way: string[]): void => {
    const start = way.indexOf(path);
    if (start >= 0) cycles.push(`cycle: ${[...way.slice(start), path].join(' -> ')}`);
    if (start >= 0 || done.has(path)) return;
    for (const { target } of edges.get(path) ?? []) {
      if (target) visit(target, [...way, path]);
    }
    done.add(path);
  };
  for (const path of edges.keys()) visit(path, []);
  return cycles;
};

const impure =
  /\b(?:Date|Temporal|performance|crypto|setTimeout|setInterval|setImmediate|queueMicrotask|process|fetch|globalThis|console)\b|\bMath\s*\.\s*random\b|\bawait\b|^(?:export )?let\b/gm;

export const machinesArePure = perFile(({ path, text }) => {
  if (topLevel(path) !== 'state-machines') return [];
  return [...codeOf(text).matchAll(impure)].map(([word]) => `uses ${word}`);
});

export const filesAreShort = perFile(({ text }) => {
  const lines = text.split('\n').length;
  return lines > 500 ? [`has ${lines} lines`] : [];
});

export const namesAreKebabCase = perFile(({ path }) => {
  const parts = path.split('/');
  const bad = parts.filter((part, index) => {
    const name = index === parts.length - 1 ? part.replace(/(?:\.(?:test|config|d))?\.\w+$/, '') : part;
    return !/^(?:[_.])?[a-z0-9]+(?:-[a-z0-9]+)*$/.test(name);
  });
  return bad.map((part) => `${part} is not kebab-case`);
});

export const noBarrels = perFile(({ text }) => {
  const code = withoutComments(text);
  const statement =
    /^(?:import|export)\s+(?:type\s+)?(?:[\w*{][^'"();=]*?\sfrom\s*)?['"][^'"]+['"];?$|^export\s*(?:type\s*)?\{[^}]*\};?$/gm;
  const rest = code.replace(statement, '').trim();
  return /^export\b/m.test(code) && rest === '' ? ['only re-exports'] : [];
});

/** A name that files offer to others means one thing. Values may share theirs: `text` of the API, and of the configuration. */
export const namesMeanOneThing: Rule = (files) => {
  const homes = new Map<string, string>();
  return files.flatMap(({ path, text }) => {
    if (!below[topLevel(path)]) return [];
    const names = [
      ...codeOf(text).matchAll(
        /^export (?:(?:async|abstract|const) )?(?:class|interface|type|enum|function\*?) (\w+)/gm,
      ),
    ];
    return [...new Set(names.map(([, name]) => name!))].flatMap((name) => {
      const home = homes.get(name) ?? path;
      homes.set(name, home);
      return home === path ? [] : [`${path}: ${home} has another ${name}`];
    });
  });
};

export const titlesAreShortFacts = perFile((file) => {
  if (topLevel(file.path) !== 'test') return [];
  return titlesOf(file).flatMap((title) => [
    ...(/\bshould\b/i.test(title) ? [`"${title}" says should`] : []),
    ...(title.length > 60 ? [`"${title}" has ${title.length} characters`] : []),
  ]);
});

/** Names of files are no subjects: `parley.yaml`, `parley.db`. */
const subject = /['"`]parley\.(?!(?:yaml|yml|json|db|sqlite|log|conf|pid|sock|mjs|ts)\b)/;

export const subjectsHaveOneHome = perFile(({ path, text }) => {
  if (path === 'src/nats/subjects.ts' || !below[topLevel(path)]) return [];
  return subject.test(withoutComments(text)) ? ['writes a subject of its own'] : [];
});

const given = ['package.json', 'src', 'actors', 'state-machines', 'test', 'nats.conf', 'tsconfig.json'];
const beside = ['docs', 'web', 'bench', '.ci'];
const customary = [
  ...['README.md', 'LICENSE', 'NOTICE', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md', 'Dockerfile', 'compose.yaml'],
  ...['package-lock.json', 'biome.json', 'vite.config.ts', 'vitest.config.ts', 'parley.example.yaml'],
  ...['.git', '.gitignore', '.gitattributes', '.editorconfig', '.npmrc', '.dockerignore', '.node-version', '.nvmrc'],
];

/** @param names entries of the root that are not ignored by git */
export const strayTopLevelNames = (names: string[]): string[] =>
  names.filter((name) => ![...given, ...beside, ...customary].includes(name));

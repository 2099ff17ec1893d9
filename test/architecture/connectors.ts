import { perFile, perImport, type Rule } from './rule.ts';
import { codeOf, importsOf, type SourceFile, topLevel, withoutComments } from './scan.ts';

const registryFile = 'src/connectors/registry.ts';

const connectorFolder = (path: string): string | null => /^src\/connectors\/[^/]+\//.exec(path)?.[0] ?? null;

/** The folders of connectors, and those of words that several connectors share: what has no connector.ts is none. */
function foldersIn(files: SourceFile[]): { connectors: string[]; shared: string[] } {
  const all = [...new Set(files.map(({ path }) => connectorFolder(path)).filter((folder) => folder !== null))];
  const isConnector = (folder: string): boolean => files.some(({ path }) => path === `${folder}connector.ts`);
  return { connectors: all.filter(isConnector), shared: all.filter((folder) => !isConnector(folder)) };
}

/** What a connector may use besides its own folder: the contract, words of all, and the types of what it is given. */
const usableByConnectors = [
  ...['connector.ts', 'powers.ts', 'accounts.ts', 'calls.ts', 'outcome.ts'].map((file) => `src/connectors/${file}`),
  ...['src/ingest/items.ts', 'src/ingest/fields.ts'],
  ...[
    'src/config/',
    'src/outgoing/',
    'state-machines/',
    'actors/representation.ts',
    'actors/json.ts',
    'actors/metadata.ts',
  ],
];
/** A connector has no way out of its own. */
const waysOut =
  /^(?:node:(?:http|https|http2|net|tls|dns|dgram|fs|child_process|worker_threads)|undici|ws|hono|@hono\/)/;

export const connectorsKnowLittle: Rule = (files) => {
  const { connectors, shared } = foldersIn(files);
  return perImport((path, specifier, target) => {
    const folder = connectorFolder(path);
    if (folder === null) return null;
    // What is shared knows no more than its connectors do, and neither them nor each other.
    const own = connectors.includes(folder) ? [folder, ...shared] : [folder];
    const usable =
      target === null
        ? !waysOut.test(specifier)
        : [...usableByConnectors, ...own].some((use) => target.startsWith(use));
    return usable ? null : `imports ${specifier}, which is not for connectors`;
  })(files);
};

/** Stand-ins for platforms. */
const doubles = 'src/doubles/';

/** A double that used a connector, or words of the hub, would make its mistakes too: it knows the platforms alone. */
export const doublesStandAlone = perImport((path, specifier, target) =>
  path.startsWith(doubles) && target !== null && !target.startsWith(doubles)
    ? `imports ${specifier}, which is the hub's`
    : null,
);

/** What is there without an import, and is no connector's: another way out, a clock, chance. */
const notGiven =
  /\b(?:fetch|WebSocket|EventSource|XMLHttpRequest|process|globalThis|performance|setTimeout|setInterval|setImmediate)\b|\bDate\.now\b|\bnew Date\(\)|\bMath\s*\.\s*random\b|\brandom(?:UUID|Bytes|Int)\b/g;
/** Outside of every function: shared by all hubs of a process, and lost with it. */
const stateOfAll = /^(?:export )?(?:let\b|const \w+[^=\n]*= new (?:Map|Set|WeakMap|WeakSet)(?:<.*>)?\(\))/m;

/** A connector goes by what it is given: its configuration, the request, the delivery with its tools. */
export const connectorsUseWhatTheyAreGiven = perFile(({ path, text }) => {
  if (connectorFolder(path) === null) return [];
  const code = codeOf(text);
  const used = [...code.matchAll(notGiven)].map(([word]) => `uses ${word}`);
  return [...used, ...(stateOfAll.test(code) ? ['keeps state of its own'] : [])];
});

/** A comparison that takes longer the more is right tells a forger how far he is. */
export const signaturesAreComparedInConstantTime: Rule = (files) => {
  const ofConnectors = Map.groupBy(files, ({ path }) => connectorFolder(path));
  return [...ofConnectors].flatMap(([folder, own]) => {
    const code = own.map(({ text }) => codeOf(text)).join('\n');
    const isUnsafe = folder !== null && /\bverify\b\s*[(:]/.test(code) && !/\btimingSafeEqual\(/.test(code);
    return isUnsafe ? [`${folder} verifies without timingSafeEqual: ${own.map(({ path }) => path).join()}`] : [];
  });
};

/** What is configured, shown and simulated, whether there is a connector for it or not. */
const listsOfSources = ['src/config/', 'src/http/client/config.ts', doubles];

/** A connector that is not in the registry speaks to nobody; one without the suite may do anything. */
export const connectorsAreListed: Rule = (files) => {
  const { connectors, shared } = foldersIn(files);
  const registry = files.find(({ path }) => path === registryFile);
  const listed = registry ? importsOf(registry).map(({ target }) => target) : [];
  const unlisted = connectors.flatMap((folder) => {
    const suite = folder.replace('src/', 'test/');
    const isHeld = files.some(({ path, text }) => path.startsWith(suite) && text.includes('conformance('));
    return [
      ...(listed.some((target) => target?.startsWith(folder)) ? [] : [`${folder}connector.ts is not in the registry`]),
      ...(isHeld ? [] : [`${folder} has no conformance test below ${suite}`]),
    ];
  });
  return [...unlisted, ...shared.filter((folder) => !isSharedBySeveral(files, folder)).map(noConnector)];
};

const noConnector = (folder: string): string =>
  `${folder} has no connector.ts, and is not what two connectors have in common`;

function isSharedBySeveral(files: SourceFile[], folder: string): boolean {
  const using = files.filter((file) => importsOf(file).some(({ target }) => target?.startsWith(folder)));
  const users = using.map(({ path }) => connectorFolder(path)).filter((user) => user !== null && user !== folder);
  return new Set(users).size > 1;
}

/** The sources that the specification names: the hub speaks to each by a connector, whose folder may be called otherwise. */
const builtInSources = ['chatplugin', 'pageplatform', 'photoplatform', 'cloudmsg', 'bizmaps', 'telco'];

/** Where visitors come in: the addresses and audiences of the chat plugin are its name. */
const doorsOf: Record<string, string[]> = {
  chatplugin: ['src/realtime/visitor/', 'src/security/visitor-', 'src/http/visitors/', 'bench/', 'web/chat-widget/'],
};

/** The operations of a source of this name, such as `/channels.telco.sms.connect`, and its doors. */
const operationsOf = (name: string): string[] => [
  ...[`src/http/channels/${name}/`, `src/http/${name}/`, 'src/http/operations.ts', 'src/http/documents/words.ts'],
  ...(doorsOf[name] ?? []),
];

/** Only connectors, the operations of a source and the lists of the specification know a built-in source by name. */
export const sourcesHaveOneHome = perFile(({ path, text }) => {
  if (topLevel(path) === 'test' || connectorFolder(path) !== null || path === registryFile) return [];
  if (listsOfSources.some((list) => path.startsWith(list))) return [];
  const foreign = builtInSources.filter((name) => !operationsOf(name).some((home) => path.startsWith(home)));
  const named = foreign.filter((name) => new RegExp(`\\b${name}\\b`).test(withoutComments(text)));
  return named.map((name) => `names the source ${name}`);
});

/** Only the registry, its own tests and operations know a connector by name. */
export const connectorsHaveOneHome: Rule = (files) => {
  const { connectors, shared } = foldersIn(files);
  return files.flatMap((file) => {
    const { path } = file;
    const foreign = connectors.filter((folder) => {
      const tests = folder.replace('src/', 'test/');
      return ![folder, tests, registryFile].some((home) => path.startsWith(home));
    });
    const isConnectors = connectorFolder(path) !== null || path.startsWith('test/connectors/');
    const closed = isConnectors ? foreign : [...foreign, ...shared];
    const imports = importsOf(file).filter(({ target }) => closed.some((folder) => target?.startsWith(folder)));
    const isList = topLevel(path) === 'test' || listsOfSources.some((list) => path.startsWith(list));
    const named = foreign.filter((folder) => {
      const name = folder.split('/')[2]!;
      if (isList || operationsOf(name).some((home) => path.startsWith(home))) return false;
      // zod's word for a problem that a schema found itself is the name of a connector too.
      return new RegExp(`(?<!code: )['"\`]${name}[.'"\`]`).test(withoutComments(file.text));
    });
    return [
      ...imports.map(({ specifier }) => `${path}: imports ${specifier}`),
      ...named.map((folder) => `${path}: names the connector in ${folder}`),
    ];
  });
};

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import * as rules from './architecture/rules.ts';
import { filesBelow, type SourceFile, titlesOf } from './architecture/scan.ts';

const root = join(import.meta.dirname, '..');
const folders = ['state-machines', 'actors', 'src', 'test', 'bench', 'web'];
const files = folders.flatMap((folder) => filesBelow(root, folder, /\.(?:ts|tsx|mjs)$/));

const file = (path: string, ...lines: string[]): SourceFile => ({ path, text: lines.join('\n') });
/** Not written as a call, so that the made-up titles are not taken for titles of this file. */
const test = (title: string) => ['it', `('${title}', () => {});`].join('');

const cases: [title: string, rule: rules.Rule, offenders: SourceFile[], allowed: SourceFile[]][] = [
  [
    'points its imports one way',
    rules.importsPointOneWay,
    [
      file('actors/a.ts', "import { b } from '#src/b.ts';"),
      file('state-machines/a.ts', "import type {\n  b,\n} from '#actors/b.ts';"),
      file('actors/b.ts', "export * from '#src/b.ts';"),
      file('actors/c.ts', "const b = await import('#src/b.ts');"),
    ],
    [file('src/a.ts', "import { b } from '#actors/b.ts';", "import { c } from '#machines/c.ts';")],
  ],
  [
    'imports nothing but xstate in the machines',
    rules.machinesImportOnlyXstate,
    [file('state-machines/a.ts', "import { hash } from 'node:crypto';"), file('state-machines/b.ts', "import 'zod';")],
    [file('state-machines/a.ts', "import { setup } from 'xstate';", "import { b } from './b.ts';")],
  ],
  [
    'crosses folders through aliases only',
    rules.foldersMeetThroughAliases,
    [
      file('src/http/a.ts', "import { b } from '../../actors/b.ts';"),
      file('test/a.ts', "import b from '../src/b.ts';"),
    ],
    [file('src/http/a.ts', "import { b } from '../b.ts';")],
  ],
  [
    'builds nothing on the HTTP API',
    rules.httpIsNobodysBase,
    [
      file('src/dispatch/a.ts', "import { b } from '../http/b.ts';"),
      file('src/security/a.ts', "import type { B } from '#src/http/b.ts';"),
    ],
    [
      file('src/hub.ts', "import { b } from '#src/http/b.ts';"),
      file('src/http/x/a.ts', "import { b } from '../b.ts';"),
    ],
  ],
  [
    'lists every operation, at the path of its URL',
    rules.operationsAreListed,
    [
      file('src/http/things/lost.ts', "export const lost = defineOperation({ path: '/things.lost' });"),
      file('src/http/things/names.ts', "export const listNames = defineOperation({ path: '/things.list-names' });"),
      file('src/http/things/hidden.ts', "const hidden = [defineOperation({ path: '/things.hidden' })];"),
      file('src/http/things/unnamed.ts', "export const unnamed = defineOperation({ path: '/things.unnamed' });"),
      file(
        'src/http/operations.ts',
        "import { hidden } from './things/hidden.ts';",
        "import { listNames } from './things/names.ts';",
        "import { unnamed } from './things/unnamed.ts';",
        'export const operations = [listNames, hidden];',
      ),
    ],
    [
      file('src/http/things/list-names.ts', "export const names = defineOperation({ path: '/things.listNames' });"),
      file(
        'src/http/operations.ts',
        "import { names } from './things/list-names.ts';",
        'export const operations = [names];',
      ),
    ],
  ],
  [
    'keeps connectors apart from the HTTP app, store and bus',
    rules.connectorsKnowLittle,
    [
      file('src/connectors/letters/a.ts', "import type { Call } from '#src/http/operation.ts';"),
      file('src/connectors/letters/b.ts', "import type { StoreReader } from '#actors/store-reader.ts';"),
      file('src/connectors/letters/c.ts', "import type { Bus } from '#actors/ports.ts';"),
      file('src/connectors/letters/d.ts', "import type { Services } from '../../services.ts';"),
      file('src/connectors/letters/e.ts', "import { request } from 'node:https';"),
      file('src/connectors/letters/f.ts', "import { ingest } from '#src/ingest/ingest.ts';"),
    ],
    [
      file('src/connectors/letters/a.ts', "import type { Connector } from '../connector.ts';"),
      file('src/connectors/letters/b.ts', "import { a } from './a.ts';", "import { createHmac } from 'node:crypto';"),
    ],
  ],
  [
    'lists every connector, and holds it to the suite',
    rules.connectorsAreListed,
    [file('src/connectors/letters/', "export const letters = { name: 'letters' };")],
    [
      file('src/connectors/letters/a.ts', "export const letters = { name: 'letters' };"),
      file('src/connectors/registry.ts', "import { letters } from './letters/a.ts';"),
      file('test/connectors/letters/conformance.test.ts', "conformance('letters', specimen);"),
    ],
  ],
  [
    'names connectors in their folders and the registry only',
    rules.connectorsHaveOneHome,
    [
      file('src/connectors/letters/a.ts', "import { b } from '../stamps/b.ts';"),
      file('src/connectors/stamps/b.ts', "const sources = ['stamps', 'letters.air'];"),
      file('src/http/a.ts', "import { letters } from '#src/connectors/letters/a.ts';"),
      file('src/dispatch/a.ts', "if (source === 'letters') run();"),
      file('test/http/a.test.ts', "import { letters } from '#src/connectors/letters/a.ts';"),
    ],
    [
      file('src/connectors/letters/a.ts', "export const letters = { name: 'letters' };"),
      file('src/connectors/registry.ts', "import { letters } from './letters/a.ts';"),
      file('test/connectors/letters/a.test.ts', "import { letters } from '#src/connectors/letters/a.ts';"),
      file('src/connectors/custom/a.ts', "export const custom = 'custom';"),
      file('src/http/a.ts', "context.addIssue({ code: 'custom' });"),
    ],
  ],
  [
    'keeps database and NATS drivers in their folders',
    rules.driversStayHome,
    [
      file('src/http/a.ts', "import Database from 'better-sqlite3';"),
      file('actors/a.ts', "import type { Msg } from '@nats-io/transport-node';"),
    ],
    [file('actors/store/a.ts', "import Database from 'better-sqlite3';")],
  ],
  [
    'has no cycle, types included',
    rules.noCycle,
    [
      file('src/a.ts', "import { b } from './b.ts';"),
      file('src/b.ts', "export { a } from '#src/a.ts';"),
      file('src/c.ts', "import { d } from './d.ts';"),
      file('src/d.ts', "import type { C } from './c.ts';"),
    ],
    [file('src/a.ts', "import { b } from './b.ts';"), file('src/b.ts', "import type { C } from './c.ts';")],
  ],
  [
    'names kinds of actors in their list alone',
    rules.kindsHaveOneHome,
    [
      file('actors/journal/a.ts', "const followed = 'channel';"),
      file('actors/store/b.ts', "import type { L } from '../channel/tables.ts';"),
    ],
    [
      file('actors/channel/kind.ts', "export const channelKind = { name: 'channel' };"),
      file('actors/kinds.ts', "import { channelKind } from './channel/kind.ts';"),
      file('src/http/channels/a.ts', "commands.send('channel', id, 'channel.update', body);"),
    ],
  ],
  [
    'lists every kind of actors',
    rules.kindsAreListed,
    [file('actors/letter/kind.ts', 'export const letterKind = {};')],
    [
      file('actors/card/kind.ts', 'export const cardKind = {};'),
      file('actors/kinds.ts', "import { cardKind } from './card/kind.ts';"),
    ],
  ],
  [
    'keeps clock, chance and I/O out of the machines',
    rules.machinesArePure,
    [
      file('state-machines/a.ts', 'const now = Date.now();'),
      file('state-machines/b.ts', 'const chance = Math . random();'),
      file('state-machines/c.ts', 'setTimeout(run, performance.now());'),
      file('state-machines/d.ts', 'const id = crypto.randomUUID();'),
    ],
    [
      file('state-machines/a.ts', '// Date is the host’s.', "const event = { type: 'Date' };"),
      file('src/a.ts', 'Date.now();'),
    ],
  ],
  [
    'has no file of more than 500 lines',
    rules.filesAreShort,
    [file('src/a.ts', ...Array<string>(501).fill('run();'))],
    [file('src/a.ts', ...Array<string>(500).fill('run();'))],
  ],
  [
    'names files and folders in kebab-case',
    rules.namesAreKebabCase,
    [file('src/readFile.ts'), file('src/Http/a.ts'), file('test/a_b.test.ts')],
    [file('src/read-file.ts'), file('test/_support/hub.ts'), file('test/a.test.ts')],
  ],
  [
    'has no barrel files',
    rules.noBarrels,
    [
      file('src/a.ts', '/** All. */', "export * from './b.ts';", "export type { C } from './c.ts';"),
      file('src/b.ts', "import { c } from './c.ts';", 'export { c };'),
    ],
    [file('src/a.ts', "export * from './b.ts';", 'export const c = 1;'), file('src/b.mjs', "import './c.ts';")],
  ],
  [
    'gives a name to one type or function',
    rules.namesMeanOneThing,
    [
      file('src/a.ts', 'export class Batch {}'),
      file('src/b.ts', 'export interface Batch {}', 'export async function count() {}'),
      file('actors/c.ts', 'export function count<T>(all: T[]): void {}'),
    ],
    [file('src/a.ts', 'export type A = 1;', 'type B = 2;'), file('src/b.ts', 'export type B = 1;', 'type A = 2;')],
  ],
  [
    'titles tests with short facts',
    rules.titlesAreShortFacts,
    [
      file('test/a.test.ts', test('should answer')),
      file('test/b.test.ts', test('x'.repeat(61))),
      file('test/c.test.ts', test('should add').replace('it', 'it.each([[1, (2)], [")", 3]])')),
    ],
    [file('test/a.test.ts', test('answers')), file('test/b.test.ts', test('x'.repeat(60)))],
  ],
  [
    'writes subjects in one file',
    rules.subjectsHaveOneHome,
    [file('src/hub.ts', "bus.publish('parley.grew.1');"), file('actors/a.ts', 'const subject = `parley.grew`;')],
    [
      file('src/nats/subjects.ts', "const all = 'parley.grew.*';"),
      file('src/config/a.ts', "const name = 'parley.yaml';"),
    ],
  ],
];

describe('architecture', () => {
  it.each(cases)('%s', (_, rule) => {
    expect(rule(files)).toEqual([]);
  });

  it.each(cases)('would notice: %s', (_, rule, offenders, allowed) => {
    const problems = rule(offenders);
    for (const { path } of offenders) expect(problems.join('\n')).toContain(path);
    expect(rule(allowed)).toEqual([]);
  });

  it('has only the given top-level names', () => {
    const ignored = readFileSync(join(root, '.gitignore'), 'utf8').split('\n');
    const names = readdirSync(root).filter((name) => !ignored.includes(name) && !ignored.includes(`${name}/`));
    expect(rules.strayTopLevelNames(names)).toEqual([]);
    expect(rules.strayTopLevelNames(['src', 'lib', 'utils.ts'])).toEqual(['lib', 'utils.ts']);
  });

  it('sees the files and titles it judges', () => {
    const paths = files.map(({ path }) => path);
    expect(paths).toEqual(
      expect.arrayContaining(['state-machines/registry.ts', 'src/services.ts', 'actors/commands.ts']),
    );
    const own = files.find(({ path }) => path === 'test/architecture.test.ts');
    expect(titlesOf(own!)).toContain('has only the given top-level names');
    expect(titlesOf(own!)).toContain('would notice: %s');
  });
});

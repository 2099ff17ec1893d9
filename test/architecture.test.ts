import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { file, hold, projectFiles, root, type RuleCase } from './architecture/hold.ts';
import * as rules from './architecture/rules.ts';
import { titlesOf } from './architecture/scan.ts';

/** Not written as a call, so that the made-up titles are not taken for titles of this file. */
const test = (title: string) => ['it', `('${title}', () => {});`].join('');

const cases: RuleCase[] = [
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
    'lets pages know the hub by its API alone',
    rules.pagesStandAlone,
    [
      file('web/chat-widget/a.tsx', "import type { B } from '#src/b.ts';"),
      file('web/chat-widget/b.ts', "import { c } from '../../actors/c.ts';"),
    ],
    [file('web/chat-widget/c.ts', "import { d } from './ui/d.tsx';", "import { h } from 'preact';")],
  ],
  [
    'lets operations make the same ids again',
    rules.operationsMakeTheSameIds,
    [
      file(
        'src/http/things/a.ts',
        'export const a = defineOperation({ handle: ({ services }) => services.ids.uuid() });',
      ),
      file('src/http/things/b.ts', 'export const b = defineOperation({ handle: () => randomUUID() });'),
    ],
    [
      file('src/http/things/a.ts', 'export const a = defineOperation({ handle: ({ newId }) => newId() });'),
      file('src/http/things/b.ts', 'export const session = (ids: Ids) => ids.uuid();'),
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
    'keeps clock, chance and I/O out of the machines',
    rules.machinesArePure,
    [
      file('state-machines/a.ts', 'const now = Date.now();'),
      file('state-machines/b.ts', 'const chance = Math . random();'),
      file('state-machines/c.ts', 'setTimeout(run, performance.now());'),
      file('state-machines/d.ts', 'const id = crypto.randomUUID();'),
      file('state-machines/e.ts', "const announce = () => console.log('');"),
      file('state-machines/f.ts', 'let steps = 0;'),
    ],
    [
      file('state-machines/a.ts', '// Date is the host’s.', "const event = { type: 'Date' };"),
      file('state-machines/b.ts', 'function count() {', '  let steps = 0;', '}'),
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
      file('actors/d.ts', 'export abstract class Batch {}'),
      file('actors/e.ts', 'export enum Batch {}'),
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
  hold(cases);

  it('has only the given top-level names', () => {
    const ignored = readFileSync(join(root, '.gitignore'), 'utf8').split('\n');
    const names = readdirSync(root).filter((name) => !ignored.includes(name) && !ignored.includes(`${name}/`));
    expect(rules.strayTopLevelNames(names)).toEqual([]);
    expect(rules.strayTopLevelNames(['src', 'lib', 'utils.ts'])).toEqual(['lib', 'utils.ts']);
  });

  it('sees the files and titles it judges', () => {
    const paths = projectFiles.map(({ path }) => path);
    expect(paths).toEqual(
      expect.arrayContaining(['state-machines/registry.ts', 'src/services.ts', 'actors/commands.ts']),
    );
    const titles = projectFiles.flatMap(titlesOf);
    expect(titles).toEqual(expect.arrayContaining(['sees the files and titles it judges', 'would notice: %s']));
  });
});

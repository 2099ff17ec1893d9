import { chmodSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { warnOfExposure } from '#src/cli/exposure.ts';
import { HubProcess } from '../_support/hub-process.ts';
import { temporaryFolder } from '../config/files.ts';
import { testConfig } from '../_support/config.ts';
import { runParley } from './run.ts';

const modeOf = (path: string): number => statSync(path).mode & 0o777;

test('a workspace is its owner’s alone', async () => {
  const folder = temporaryFolder();
  await runParley(['create', 'new', '--init-only'], folder);
  const workspace = join(folder, 'new');
  expect([workspace, join(workspace, 'parley.yaml'), join(workspace, 'cli.yaml')].map(modeOf)).toEqual([
    0o700, 0o600, 0o600,
  ]);
});

test('a hub makes files that nobody else reads, in any folder', async () => {
  const data = join(temporaryFolder(), 'data');
  mkdirSync(data);
  chmodSync(data, 0o755);
  await using _ = await HubProcess.start({ env: { PARLEY_DATA_DIR: data } });
  const files = readdirSync(data, { withFileTypes: true, recursive: true }).filter((entry) => entry.isFile());
  expect(files.map(({ name }) => name)).toContain('parley.db');
  for (const { parentPath, name } of files) expect([name, modeOf(join(parentPath, name)) & 0o077]).toEqual([name, 0]);
});

test('a start warns of what others can read', () => {
  const folder = temporaryFolder();
  const config = testConfig();
  config.data.dir = folder;
  const [yaml, db] = [join(folder, 'parley.yaml'), join(folder, 'parley.db')];
  for (const file of [yaml, db]) writeFileSync(file, '');
  const warnings = (): unknown[] => {
    const files: unknown[] = [];
    warnOfExposure(yaml, config, { warn: ({ file }) => void files.push(file) });
    return files;
  };
  for (const [mode, expected] of [
    [0o644, [yaml, db]],
    [0o640, []],
  ] as const) {
    for (const file of [yaml, db]) chmodSync(file, mode);
    expect(warnings()).toEqual(expected);
  }
});

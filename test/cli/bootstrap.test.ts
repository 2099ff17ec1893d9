import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../config/files.ts';

const bootstrap = resolve(import.meta.dirname, '../../src/cli/bootstrap.mjs');

test('the program starts with the cache of compiled code', async () => {
  const look = join(temporaryFolder(), 'look.mjs');
  // Run before the program's own first file: the cache must be there by then.
  writeFileSync(
    look,
    "import { getCompileCacheDir } from 'node:module';\nconsole.log('cache', getCompileCacheDir());\n",
  );
  const { NODE_COMPILE_CACHE: _, ...env } = process.env;
  const child = spawn(process.execPath, [bootstrap, 'parley', 'version'], {
    env: { ...env, NODE_OPTIONS: `--import=${look}` },
  });
  const lines = (await text(child.stdout)).trim().split('\n');
  // The bootstrap itself, then the program.
  expect(lines).toEqual([
    'cache undefined',
    expect.stringContaining(join('.cache', 'compile')),
    expect.stringMatching(/^parley /),
  ]);
});

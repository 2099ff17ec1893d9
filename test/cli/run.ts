import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { text } from 'node:stream/consumers';

export interface Run {
  code: number | null;
  stdout: string;
  stderr: string;
}

const main = resolve(import.meta.dirname, '../../src/main.ts');

/** Runs the command line in a process of its own, in the folder `cwd`, without variables of the caller's hub. */
export async function runParley(args: readonly string[], cwd: string, env: Record<string, string> = {}): Promise<Run> {
  const own = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('PARLEY_')));
  const child = spawn(process.execPath, [main, ...args], { cwd, env: { ...own, ...env } });
  child.stdin.end();
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { code: child.exitCode, stdout, stderr };
}

import { spawn } from 'node:child_process';
import type { Copy } from './copy.ts';

/** How a program in a copy ended. */
export interface Ended {
  /** Null: it was ended, as its time was over. */
  code: number | null;
  output: string;
  errors: string;
}

const outputKept = 1_000_000;

/** Runs a program of this Node in a copy, with all that it starts ended after `patience` ms. */
export function runIn(copy: Copy, args: readonly string[], patience: number): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, {
      cwd: copy.folder,
      env: { ...process.env, TMPDIR: copy.temporary, NODE_COMPILE_CACHE: `${copy.folder}/.cache/compile` },
      // A group of its own: what it has started ends with it.
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const said = { output: '', errors: '' };
    child.stdout.on('data', (chunk) => {
      said.output = (said.output + chunk).slice(-outputKept);
    });
    child.stderr.on('data', (chunk) => {
      said.errors = (said.errors + chunk).slice(-outputKept);
    });
    let late = false;
    const timer = setTimeout(() => {
      late = true;
      endGroup(child.pid);
    }, patience);
    const stop = (): void => endGroup(child.pid);
    process.once('exit', stop);
    child.once('error', reject);
    child.once('close', (code) => {
      clearTimeout(timer);
      process.off('exit', stop);
      resolve({ code: late ? null : (code ?? 1), ...said });
    });
  });
}

function endGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}

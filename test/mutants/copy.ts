import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type Mutant, mutated } from './mutant.ts';

/** The project's own folder. */
export const root = join(import.meta.dirname, '..', '..');

/** The text of a file; null when there is none. */
export function textOf(folder: string, file: string): string | null {
  const path = join(folder, file);
  return existsSync(path) ? readFileSync(path, 'utf8') : null;
}

/** A copy of the tracked files, as they are now, where a mutant can be put in; gone when it is disposed of. */
export class Copy implements Disposable {
  readonly folder: string;
  /** For the temporary files of what runs here, so that they go with the copy. */
  readonly temporary: string;

  constructor() {
    this.folder = mkdtempSync(join(tmpdir(), 'parley-mutants-'));
    this.temporary = join(this.folder, 'tmp');
    mkdirSync(this.temporary);
    const tracked = execFileSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8' }).split('\0');
    for (const file of tracked) {
      if (file === '' || !existsSync(join(root, file))) continue;
      mkdirSync(dirname(join(this.folder, file)), { recursive: true });
      cpSync(join(root, file), join(this.folder, file));
    }
    this.#linkPackages();
    this.#linkNatsServer();
  }

  /** @returns what puts the file back. @throws Error when the mutant does not fit the code */
  apply(mutant: Mutant): () => void {
    const before = textOf(this.folder, mutant.file);
    const file = join(this.folder, mutant.file);
    writeFileSync(file, mutated(before, mutant));
    return () => writeFileSync(file, before!);
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** One by one: what is written beside the packages, such as caches, stays in the copy. */
  #linkPackages(): void {
    const packages = join(root, 'node_modules');
    mkdirSync(join(this.folder, 'node_modules'));
    for (const name of readdirSync(packages)) {
      if (!name.startsWith('.vite')) symlinkSync(join(packages, name), join(this.folder, 'node_modules', name));
    }
  }

  #linkNatsServer(): void {
    const server = join(root, '.cache', 'nats-server');
    if (!existsSync(server)) return;
    mkdirSync(join(this.folder, '.cache'));
    symlinkSync(server, join(this.folder, '.cache', 'nats-server'));
  }
}

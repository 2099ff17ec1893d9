import { execFile } from 'node:child_process';
import { accessSync, constants, statSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { unpackNatsServer } from './debian-package.ts';

const run = promisify(execFile);

/** The first version with the fix of CVE-2023-47090 in a line that we test. */
const oldestVersion = [2, 10] as const;

/** Package managers put the server here; a user's PATH often leaves the `sbin` folders out. */
const usualFolders = ['/usr/local/bin', '/usr/local/sbin', '/usr/bin', '/usr/sbin', '/opt/homebrew/bin'];

export interface ProvisionOptions {
  /** The folder that keeps a server which was fetched; made when needed. */
  cacheDir: string;
  /** Takes one line of progress at a time, for a person to read. */
  log: (line: string) => void;
}

/**
 * Finds a nats-server of version 2.10 or newer, or fetches one: `$PARLEY_NATS_SERVER`, else one on the PATH, else the
 * cached one, else Debian's package (on Debian only).
 * @returns the path of the program.
 * @throws Error that says what was tried and which command installs the server on this system.
 */
export async function provideNatsServer({ cacheDir, log }: ProvisionOptions): Promise<string> {
  const given = process.env['PARLEY_NATS_SERVER'];
  if (given) {
    const problem = await problemWith(given);
    if (problem) throw new Error(`PARLEY_NATS_SERVER: ${problem}`);
    return given;
  }
  const cached = join(cacheDir, 'nats-server');
  for (const file of [...onPath(), cached]) {
    if (isProgram(file) && (await problemWith(file)) === null) return file;
  }
  return fetchNatsServer(cached, cacheDir, log);
}

async function fetchNatsServer(targetFile: string, cacheDir: string, log: (line: string) => void): Promise<string> {
  const system = await systemNames();
  try {
    if (!system.includes('debian')) throw new Error('there is no package for this system that could be unpacked');
    if (system[0] !== 'debian') throw new Error("this system's apt sources have no Debian mirror");
    await mkdir(cacheDir, { recursive: true });
    const check = async (file: string): Promise<void> => {
      const problem = await problemWith(file);
      if (problem) throw new Error(problem);
    };
    await unpackNatsServer({ targetFile, workDir: cacheDir, check, log });
  } catch (error) {
    throw new Error(
      `No nats-server ${oldestVersion.join('.')} or newer was found, and fetching one failed: ` +
        `${(error as Error).message}. Install it (${installCommand(system)}), ` +
        'set PARLEY_NATS_SERVER to its path, or set nats.url to a NATS server that runs already.',
    );
  }
  log(`nats-server: ready (${targetFile})`);
  return targetFile;
}

/** @returns the version in the answer of `nats-server --version`, or null when there is none. */
export function parseVersion(answer: string): [major: number, minor: number, patch: number] | null {
  const match = /\bv?(\d+)\.(\d+)\.(\d+)/.exec(answer);
  return match && [Number(match[1]), Number(match[2]), Number(match[3])];
}

async function problemWith(file: string): Promise<string | null> {
  try {
    const { stdout } = await run(file, ['--version'], { timeout: 10_000 });
    const version = parseVersion(stdout);
    if (!version) return `${file} does not answer to --version as nats-server does`;
    const [major, minor] = version;
    const [oldestMajor, oldestMinor] = oldestVersion;
    const newEnough = major > oldestMajor || (major === oldestMajor && minor >= oldestMinor);
    return newEnough ? null : `${file} is version ${version.join('.')}; ${oldestVersion.join('.')} or newer is needed`;
  } catch (error) {
    return `${file} does not run: ${(error as Error).message.trim()}`;
  }
}

function onPath(): string[] {
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  return [...new Set([...folders, ...usualFolders])].map((folder) => join(folder, 'nats-server'));
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

/** The names that os-release(5) gives the system, its own first, then the ones that it is like. */
async function systemNames(): Promise<string[]> {
  if (process.platform === 'darwin') return ['macos'];
  const text = await readFile('/etc/os-release', 'utf8').catch(() => '');
  const field = (name: string): string => new RegExp(`^${name}="?([^"\n]*)"?$`, 'm').exec(text)?.[1] ?? '';
  return `${field('ID')} ${field('ID_LIKE')}`.split(/\s+/).filter((name) => name !== '');
}

function installCommand(system: readonly string[]): string {
  if (system.includes('macos')) return 'brew install nats-server';
  if (system.includes('debian')) return 'sudo apt-get install nats-server';
  if (system.includes('fedora') || system.includes('rhel')) return 'sudo dnf install nats-server';
  return 'with the package manager of your system';
}

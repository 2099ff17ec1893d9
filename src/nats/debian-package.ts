import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type AptSource, debianMirrors, parseDeb822Sources, parseOneLineSources, toDeb822 } from './apt-sources.ts';

const run = promisify(execFile);

/** The first Debian release whose nats-server is new enough; its programs run on Debian 12 (glibc 2.36) as well. */
const suite = 'trixie';

const debianKeyring = '/usr/share/keyrings/debian-archive-keyring.gpg';

/** Bounds one apt or dpkg call: an unreachable mirror must not hold a start for ever. */
const stepTimeoutMs = 180_000;

export interface UnpackRequest {
  /** Where `nats-server` is to be. The folder is made. */
  targetFile: string;
  /** A folder of our own on the same file system, for everything that is needed on the way. */
  workDir: string;
  /** Refuses a program that does not run here; called before it takes its place. */
  check: (file: string) => Promise<void>;
  log: (line: string) => void;
}

/**
 * Fetches Debian's package `nats-server` with the machine's own apt and unpacks its program to `targetFile`.
 * Needs no root and changes nothing of the system: lists, cache and sources of apt are private to this call.
 * Two calls at once are safe: each works in its own folder and the finished file is renamed into place.
 * @throws Error with a sentence that names the step and what apt said about it.
 */
export async function unpackNatsServer({ targetFile, workDir, check, log }: UnpackRequest): Promise<void> {
  const mirrors = debianMirrors(await readAptSources());
  if (mirrors.length === 0) throw new Error("the apt sources of this machine name no mirror of Debian's main archive");
  const dir = join(workDir, `fetch-${process.pid}-${randomBytes(4).toString('hex')}`);
  try {
    let failure: unknown;
    for (const mirror of mirrors) {
      try {
        const file = await fetchFrom(mirror, dir, log);
        await check(file);
        await rename(file, targetFile);
        return;
      } catch (error) {
        failure = error;
        await rm(dir, { recursive: true, force: true });
      }
    }
    throw failure;
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

async function fetchFrom(mirror: AptSource, dir: string, log: (line: string) => void): Promise<string> {
  const config = join(dir, 'apt.conf');
  await mkdir(join(dir, 'lists', 'partial'), { recursive: true });
  await mkdir(join(dir, 'cache', 'archives', 'partial'), { recursive: true });
  await writeFile(join(dir, 'mirror.sources'), toDeb822(mirror, suite, debianKeyring));
  await writeFile(config, aptConfig(dir));
  log(`nats-server: reading the package list of Debian ${suite} …`);
  await step('apt-get update', dir, 'apt-get', ['-c', config, 'update']);
  log('nats-server: downloading the package …');
  await step('apt-get download', dir, 'apt-get', ['-c', config, 'download', 'nats-server']);
  const deb = (await readdir(dir)).find((name) => name.endsWith('.deb'));
  if (!deb) throw new Error('apt-get download: no package arrived');
  log(`nats-server: unpacking ${deb} …`);
  await step('dpkg-deb -x', dir, 'dpkg-deb', ['-x', deb, 'unpacked']);
  const program = join(dir, 'unpacked', 'usr', 'sbin', 'nats-server');
  if (!existsSync(program)) throw new Error(`the package ${deb} has no usr/sbin/nats-server`);
  await chmod(program, 0o755);
  return program;
}

/**
 * Read by apt after the system's settings, so that proxies and certificates of the machine stay in force. Cleared are
 * the settings that would touch the system (hooks) or keep the suite out (pins, default release). The user of apt's
 * sandbox has no way into a private folder.
 */
function aptConfig(dir: string): string {
  return [
    '#clear APT::Update::Pre-Invoke;',
    '#clear APT::Update::Post-Invoke;',
    '#clear APT::Update::Post-Invoke-Success;',
    '#clear APT::Default-Release;',
    `Dir::State::Lists ${JSON.stringify(join(dir, 'lists'))};`,
    `Dir::Cache ${JSON.stringify(join(dir, 'cache'))};`,
    'Dir::Cache::archives "archives";',
    `Dir::Etc::SourceList ${JSON.stringify(join(dir, 'mirror.sources'))};`,
    'Dir::Etc::SourceParts "/dev/null";',
    'Dir::Etc::Preferences "/dev/null";',
    'Dir::Etc::PreferencesParts "/dev/null";',
    'APT::Sandbox::User "root";',
    'APT::Get::List-Cleanup "false";',
    'Acquire::Languages "none";',
    'Acquire::Retries "3";',
    '',
  ].join('\n');
}

async function step(name: string, cwd: string, program: string, args: string[]): Promise<void> {
  try {
    await run(program, args, { cwd, timeout: stepTimeoutMs, env: { ...process.env, LC_ALL: 'C' } });
  } catch (error) {
    throw new Error(`${name}: ${explain(error)}`);
  }
}

/** The last lines that the program wrote, without the sign-in part of addresses. */
function explain(error: unknown): string {
  const {
    stderr = '',
    message = '',
    killed = false,
  } = error as { stderr?: string; message?: string; killed?: boolean };
  if (killed) return `no end after ${stepTimeoutMs / 1000} s`;
  const lines = stderr.trim() === '' ? [message] : stderr.trim().split('\n').slice(-4);
  return lines.join(' ').replace(/\/\/[^/@\s]+@/g, '//');
}

/** @returns the entries of the files that apt itself reads; a file that cannot be read counts as empty. */
async function readAptSources(): Promise<AptSource[]> {
  const partsDir = '/etc/apt/sources.list.d';
  const parts = await readdir(partsDir).catch(() => []);
  const files = ['/etc/apt/sources.list', ...parts.sort().map((name) => join(partsDir, name))];
  const sources: AptSource[] = [];
  for (const file of files) {
    const text = await readFile(file, 'utf8').catch(() => '');
    if (file.endsWith('.list')) sources.push(...parseOneLineSources(text));
    if (file.endsWith('.sources')) sources.push(...parseDeb822Sources(text));
  }
  return sources;
}

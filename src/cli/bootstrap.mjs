/**
 * What the npm scripts run: `node src/cli/bootstrap.mjs start|test|parley [argument …]`.
 *
 * Makes a fresh clone ready (dependencies, the chat widget, and nats-server for the tests) and hands over to Node 26,
 * which comes as a dependency. Plain JavaScript for Node 20 and without dependencies, since it runs before there are
 * any. Standard output belongs to the program that it starts: everything it says itself goes to standard error.
 */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const nodeProgram = join(root, 'node_modules', 'node', 'bin', 'node');
const lockFile = join(root, '.cache', 'install.lock');

/** Longer than any installation takes; a lock that is older than its patience belongs to something that hangs. */
const lockPatienceMs = 600_000;
const lockPollMs = 200;

/**
 * Node keeps the sources without their types there: a start that finds them is faster, and holds no compiler in memory.
 * A variable of the environment, since the program's own first file must be among them.
 */
const compileCache = join(root, '.cache', 'compile');

/**
 * The memory of the hub. A heap may grow to twice what was in use after its last collection, not to four times, as V8
 * has it on large machines; and glibc keeps what was freed in two places, not in one for each thread.
 */
const heapFlags = ['--heap-growing-percent=100'];
const memoryVariables = { MALLOC_ARENA_MAX: '2' };

const usage = 'usage: node src/cli/bootstrap.mjs start|test|parley [argument …]';

try {
  const [task = '', ...args] = process.argv.slice(2);
  const program = programOf(task, args);
  await installWhenNeeded();
  buildWidgetWhenNeeded();
  if (task === 'test') provideNatsServer();
  become(nodeProgram, program);
} catch (error) {
  say(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}

/** @returns the arguments of Node 26 for a task. */
function programOf(task, args) {
  const main = join(root, 'src', 'main.ts');
  if (task === 'start') return [...heapFlags, main, 'start', ...args];
  if (task === 'parley') return [...heapFlags, main, ...args];
  if (task === 'test') return [join(root, 'node_modules', 'vitest', 'vitest.mjs'), 'run', '--root', root, ...args];
  throw new Error(usage);
}

async function installWhenNeeded() {
  if (isInstalled()) return;
  await holdLock(() => {
    // Another start may have installed while this one waited.
    if (!isInstalled()) install();
  });
}

/**
 * Whether node_modules holds what package-lock.json asks for. npm writes the inner lock file last, so an installation
 * that was cut off has none. Contents are compared, as a checkout gives files the time of the checkout.
 */
function isInstalled() {
  if (!existsSync(nodeProgram)) return false;
  const wanted = packagesOf(join(root, 'package-lock.json'));
  const present = packagesOf(join(root, 'node_modules', '.package-lock.json'));
  if (!wanted) throw new Error('package-lock.json is missing or is not JSON');
  if (!present) return false;
  return Object.entries(wanted).every(([path, { version, integrity, optional, devOptional, peer }]) => {
    const found = present[path];
    // Packages for other systems are in the lock file, but not on the disk.
    if (!found) return path === '' || Boolean(optional || devOptional || peer);
    return found.version === version && found.integrity === integrity;
  });
}

function packagesOf(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8')).packages ?? null;
  } catch {
    return null;
  }
}

function install() {
  const startedAt = Date.now();
  say('installing the dependencies (npm ci), about a minute …');
  const npm = ['ci', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error'];
  // Without our own node_modules/.bin: its `node` disappears while npm replaces the folder.
  const PATH = (process.env.PATH ?? '')
    .split(delimiter)
    .filter((folder) => !folder.endsWith(join('node_modules', '.bin')))
    .join(delimiter);
  const { status, error } = spawnSync('npm', npm, {
    cwd: root,
    env: { ...process.env, PATH },
    stdio: ['ignore', process.stderr, process.stderr],
  });
  if (error) throw new Error(`npm cannot be run: ${error.message}`);
  if (status !== 0) throw new Error(`npm ci failed (exit code ${status}); its messages are above`);
  if (!existsSync(nodeProgram)) {
    throw new Error('npm ci left no node_modules/node/bin/node: allow the install script of the package "node"');
  }
  say(`the dependencies are installed (${Math.round((Date.now() - startedAt) / 1000)} s)`);
}

/** Runs `work` while no other bootstrap of this folder does. A lock whose holder is gone is taken over. */
async function holdLock(work) {
  mkdirSync(dirname(lockFile), { recursive: true });
  const deadline = Date.now() + lockPatienceMs;
  for (let told = false; !(await takeLock()); ) {
    if (!told) say('another start is installing the dependencies; waiting for it …');
    told = true;
    if (Date.now() > deadline) throw new Error(`gave up waiting; if nothing is installing, remove ${lockFile}`);
    await pause(lockPollMs);
  }
  const release = () => rmSync(lockFile, { force: true });
  process.once('exit', release);
  try {
    work();
  } finally {
    process.off('exit', release);
    release();
  }
}

async function takeLock() {
  const own = `${process.pid}\n`;
  try {
    writeFileSync(lockFile, own, { flag: 'wx' });
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
    const holder = readLock();
    if (holder !== '' && !isAlive(Number(holder))) {
      rmSync(lockFile, { force: true });
    }
    return false;
  }
  // Two that take over the lock of a dead holder can remove each other's: the one whose lock stays has it.
  await pause(lockPollMs / 2);
  return readLock() === own;
}

function readLock() {
  try {
    return readFileSync(lockFile, 'utf8');
  } catch {
    return '';
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

/** What visitors' browsers load is not in the repository: it is built when it is missing, or older than what it is made of. */
function buildWidgetWhenNeeded() {
  const folder = join(root, 'web', 'chat-widget');
  const builtAt = statSync(join(folder, 'dist', 's.js'), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const sources = readdirSync(folder, { recursive: true, withFileTypes: true }).filter(
    (entry) => entry.isFile() && !entry.parentPath.startsWith(join(folder, 'dist')),
  );
  const changedAt = sources.map(({ parentPath, name }) => statSync(join(parentPath, name)).mtimeMs);
  if (changedAt.every((changed) => changed <= builtAt)) return;
  const { status } = spawnSync(nodeProgram, [join(folder, 'build.ts')], {
    stdio: ['ignore', process.stderr, process.stderr],
  });
  if (status !== 0) throw new Error('the chat widget can not be built; the messages of its build are above');
}

function provideNatsServer() {
  const program = join(root, 'src', 'nats', 'provision-command.ts');
  const { status } = spawnSync(nodeProgram, [program], { stdio: ['ignore', process.stderr, process.stderr] });
  if (status !== 0) throw new Error('the tests need a nats-server');
}

/** Hands the process over, or, on a Node that cannot, runs the program as a child and ends as it does. */
function become(program, args) {
  const env = { NODE_COMPILE_CACHE: compileCache, ...memoryVariables, ...process.env };
  if (process.execve) {
    process.removeAllListeners('warning');
    process.execve(program, [program, ...args], env);
  }
  const child = spawn(program, args, { stdio: 'inherit', env });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR2']) {
    process.on(signal, () => {
      // A terminal has sent it to the child as well; a second one would mean "at once".
      const fromTerminal = process.stdin.isTTY && (signal === 'SIGINT' || signal === 'SIGQUIT');
      if (!fromTerminal) child.kill(signal);
    });
  }
  child.once('error', (error) => {
    say(`${program} cannot be run: ${error.message}`);
    process.exit(1);
  });
  child.once('exit', (code, signal) => {
    process.exit(signal ? 128 + constants.signals[signal] : (code ?? 1));
  });
}

function say(text) {
  process.stderr.write(`parley: ${text}\n`);
}

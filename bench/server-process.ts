import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

/** As `npm start` sets it. */
const compileCache = fileURLToPath(new URL('../.cache/compile', import.meta.url));
const startTimeout = 60_000;
const stopTimeout = 15_000;
const lookEvery = 5;
const logTail = 2_000;
const kibPerMb = 1024;
/** Of the kernel's times, on every Linux. */
const ticksPerSecond = 100;

/** A folder of its own in the system's folder for temporary files; on a real disk, where durability costs something. */
export const temporaryFolder = (): string => mkdtempSync(join(tmpdir(), 'parley-bench-'));

/** A server in a process of its own. Its log goes to a file, as under a supervisor, and says when it is ready. */
export class ServerProcess implements AsyncDisposable {
  readonly folder: string;
  readonly url: string;
  /** From the start of the process to the line that says it is ready, in ms. */
  readonly startMs: number;
  readonly #child: ChildProcess;
  readonly #ownsFolder: boolean;

  private constructor(child: ChildProcess, folder: string, ownsFolder: boolean, url: string, startMs: number) {
    this.#child = child;
    this.folder = folder;
    this.#ownsFolder = ownsFolder;
    this.url = url;
    this.startMs = startMs;
  }

  /**
   * Runs `node ...args` until it logs a JSON line whose `msg` is `readyMessage` and whose `url` says where it answers.
   * @param folder where it works and its log is; absent: a new one, removed at the end
   * @param variables of the environment, besides those of this process
   * @throws Error with the end of the log when it does not come up
   */
  static async start(
    args: string[],
    readyMessage: string,
    folder?: string,
    variables: NodeJS.ProcessEnv = {},
  ): Promise<ServerProcess> {
    const home = folder ?? temporaryFolder();
    const logFile = join(home, 'server.log');
    const log = openSync(logFile, 'w');
    const started = performance.now();
    const env = { NODE_COMPILE_CACHE: compileCache, ...process.env, ...variables };
    const child = spawn(process.execPath, args, { cwd: home, env, stdio: ['ignore', log, log] });
    closeSync(log);
    const readyLine = `"msg":"${readyMessage}"`;
    for (;;) {
      const text = readFileSync(logFile, 'utf8');
      const line = text.split('\n').find((candidate) => candidate.includes(readyLine) && candidate.endsWith('}'));
      const startMs = performance.now() - started;
      if (line !== undefined) {
        const { url } = JSON.parse(line) as { url: string };
        return new ServerProcess(child, home, folder === undefined, url, startMs);
      }
      if (child.exitCode !== null || child.signalCode !== null || startMs > startTimeout) {
        child.kill('SIGKILL');
        if (folder === undefined) rmSync(home, { recursive: true, force: true });
        throw new Error(`${args.join(' ')} did not start: ${text.slice(-logTail)}`);
      }
      await wait(lookEvery);
    }
  }

  /** Resident memory now, in MB; `anonymous` is what is no page of a file (program, database). */
  resident(): { all: number; anonymous: number } {
    const status = readFileSync(`/proc/${this.#child.pid}/status`, 'utf8');
    const mb = (field: string): number =>
      Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) / kibPerMb;
    return { all: mb('VmRSS'), anonymous: mb('RssAnon') };
  }

  /** Processor time of all threads so far, in s: it says what a request costs when the machine is busy with others. */
  cpuSeconds(): number {
    const stat = readFileSync(`/proc/${this.#child.pid}/stat`, 'utf8');
    // Behind the name, which may hold spaces: user time is the 12th field, system time the 13th (proc(5)).
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
  }

  /** Asks the process to end, and ends it when it does not. The folder stays when it was given. */
  async stop(): Promise<void> {
    const child = this.#child;
    const gone = (): boolean => child.exitCode !== null || child.signalCode !== null;
    if (!gone()) child.kill('SIGTERM');
    for (const from = performance.now(); !gone(); await wait(lookEvery)) {
      if (performance.now() - from > stopTimeout) child.kill('SIGKILL');
    }
    if (this.#ownsFolder) rmSync(this.folder, { recursive: true, force: true });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }
}

import { type ChildProcess, spawn } from 'node:child_process';
import type { Socket } from 'node:net';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';

/**
 * Starts "$@", prints its process id and waits for it. Descriptor 3 is a pipe whose other end only the hub holds: it
 * ends when the hub does, however that happens, and the program is killed then. Killing loses nothing: the server
 * keeps no state.
 */
const guard = [
  '"$@" </dev/null 3<&- &',
  'n=$!',
  'echo $n',
  '(read -r _ <&3; kill -KILL $n) >/dev/null 2>&1 &',
  'w=$!',
  'wait $n',
  'code=$?',
  'kill $w 2>/dev/null',
  'exit $code',
].join('\n');

/** How many of the last lines of the program's output are kept. */
const keptLines = 12;

export interface GuardedChild {
  /** The process id of the program itself, not of its guard. */
  readonly pid: number;
  /** Resolves when the program has ended. */
  readonly exited: Promise<ChildExit>;
  signal(signal: NodeJS.Signals): void;
}

export interface ChildExit {
  /** The exit code; above 128: ended by the signal with this number less 128. Null when the guard itself was killed. */
  code: number | null;
  /** The last lines that the program wrote. */
  lastLines: string[];
}

/**
 * Runs a program that never outlives this process, not even when this process is killed by SIGKILL.
 * @param place its working folder and its whole environment.
 * @throws Error when the program cannot be started.
 */
export async function startGuarded(
  file: string,
  args: string[],
  place: { cwd: string; env: Record<string, string> },
): Promise<GuardedChild> {
  // Its own session: a Ctrl-C in the terminal is for the hub, which stops the server after its clients.
  const child = spawn('/bin/sh', ['-c', guard, 'guard', file, ...args], {
    ...place,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  });
  const lifeline = child.stdio[3] as Socket;
  // The guard may end first; a broken lifeline has nothing more to say then.
  lifeline.on('error', () => {});
  lifeline.unref();
  const lastLines: string[] = [];
  const keep = (line: string): void => {
    lastLines.push(line);
    if (lastLines.length > keptLines) lastLines.shift();
  };
  const ended = endOf(child);
  const allRead = linesOf(child.stderr, keep);
  const pid = await firstLine(child, keep);
  const exited = ended.then(async (code) => {
    // A guard that was killed leaves the program behind, on the port that its successor needs.
    if (code === null) send(pid, 'SIGKILL');
    lifeline.destroy();
    await allRead;
    return { code, lastLines };
  });
  return { pid, exited, signal: (signal) => send(pid, signal) };
}

function endOf(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve) => {
    child.once('exit', (code) => resolve(code));
    child.once('error', () => resolve(null));
  });
}

function linesOf(input: Readable | null, take: (line: string) => void): Promise<void> {
  if (!input) return Promise.resolve();
  return new Promise((resolve) => {
    createInterface({ input }).on('line', take).once('close', resolve);
  });
}

function firstLine(child: ChildProcess, keep: (line: string) => void): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', () => reject(new Error('the guard of nats-server ended before it started the server')));
    let first = true;
    void linesOf(child.stdout, (line) => {
      if (!first) return keep(line);
      first = false;
      resolve(Number(line));
    });
  });
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended already, which is what the signal was to bring about.
  }
}

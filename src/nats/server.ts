import { randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Clock, Logger } from '#actors/ports.ts';
import { Secret } from '#src/config/config.ts';
import { type ChildExit, type GuardedChild, startGuarded } from './guarded-child.ts';
import { freePort, probeServerName } from './probe.ts';

export interface NatsServerOptions {
  /** The program, from `provideNatsServer`. */
  binary: string;
  /** `nats.conf` of the project. */
  confFile: string;
  /** The working folder of the server; made when needed. The server writes nothing there today. */
  stateDir: string;
  log: Logger;
  /** Gives the waits between restarts; the process's own timers when absent. */
  clock?: Pick<Clock, 'now' | 'schedule'>;
  /** A fixed loopback port; a random free one when absent. */
  port?: number;
}

export interface NatsServer {
  /** `nats://127.0.0.1:<port>`, the same for all restarts. Holds no credentials. */
  readonly url: string;
  readonly port: number;
  readonly user: string;
  readonly password: Secret;
  /** The process id of the nats-server that runs now; after a restart it is another one. */
  readonly pid: number;
  /** Null while the server answers; else a sentence for the readiness of the hub. */
  problem(): string | null;
  /** Ends the server and waits for its end. Close the connections first. */
  stop(): Promise<void>;
}

/** A start that takes longer than this has failed. */
const readyMs = 10_000;
const probeEveryMs = 20;
/** Whatever else holds the port may accept and stay silent; our own server speaks first. */
const probeMs = 500;
/** A server that runs is asked this often whether it answers, and ended when it has not so many times in a row. */
const watchEveryMs = 1_000;
const mostMisses = 3;
/** Waits before a restart: doubled each time, from the first again once a server has lived for `steadyMs`. */
const firstBackoffMs = 50;
const longestBackoffMs = 1_000;
const steadyMs = 1_000;
/** After the polite signal the server gets this long before the other one. */
const politeMs = 5_000;
/** A free port can be taken before the server binds it: so many ports are tried. */
const portTries = 5;

const processClock: Pick<Clock, 'now' | 'schedule'> = {
  now: Date.now,
  schedule(delayMs, run) {
    const timer = setTimeout(run, delayMs).unref();
    return () => clearTimeout(timer);
  },
};

/**
 * Starts the embedded nats-server on a loopback port with credentials made for this start, and keeps it running: when
 * it dies it is started again on the same port with the same credentials, so that clients find it again. It never
 * outlives this process. Resolves when the server answers.
 * @throws Error with the server's last words when it does not start.
 */
export async function startNatsServer(options: NatsServerOptions): Promise<NatsServer> {
  await mkdir(options.stateDir, { recursive: true });
  let failure: unknown;
  for (let tries = options.port === undefined ? portTries : 1; tries > 0; tries -= 1) {
    const supervisor = new Supervisor(options, options.port ?? (await freePort()));
    try {
      await supervisor.start();
      return supervisor;
    } catch (error) {
      failure = error;
    }
  }
  throw failure;
}

class Supervisor implements NatsServer {
  readonly port: number;
  readonly user = 'parley';
  // The leading letter keeps nats.conf's parser from reading the value as a number.
  readonly password = new Secret(`p${randomBytes(24).toString('hex')}`);
  readonly #name = `parley-${randomBytes(6).toString('hex')}`;
  readonly #options: NatsServerOptions;
  readonly #clock: Pick<Clock, 'now' | 'schedule'>;
  #child: GuardedChild | null = null;
  #restarts = 0;
  #backoffMs = firstBackoffMs;
  #stopping = false;
  #answers = false;
  #cancelRestart = (): void => {};
  #cancelWatch = (): void => {};

  constructor(options: NatsServerOptions, port: number) {
    this.#options = options;
    this.#clock = options.clock ?? processClock;
    this.port = port;
  }

  get url(): string {
    return `nats://127.0.0.1:${this.port}`;
  }

  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  problem(): string | null {
    return this.#answers ? null : 'the embedded nats-server does not answer';
  }

  async start(): Promise<void> {
    const startedAt = this.#clock.now();
    const { binary, confFile, stateDir } = this.#options;
    const place = { cwd: stateDir, env: this.#environment() };
    const child = await startGuarded(resolve(binary), ['-c', resolve(confFile)], place);
    this.#child = child;
    // stop() may have been called while the child was being made, when there was nothing to signal yet.
    if (this.#stopping) child.signal('SIGTERM');
    const end = await this.#untilReady(child);
    if (end) throw new Error(`nats-server did not start: ${describeExit(end)}`);
    this.#answers = true;
    this.#options.log.info(
      { pid: child.pid, port: this.port, restarts: this.#restarts, duration_ms: this.#clock.now() - startedAt },
      this.#restarts === 0 ? 'nats.started' : 'nats.restarted',
    );
    const readyAt = this.#clock.now();
    void child.exited.then((exit) => this.#onExit(exit, readyAt));
    this.#watch(child);
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    this.#answers = false;
    this.#cancelRestart();
    this.#cancelWatch();
    const child = this.#child;
    if (!child) return;
    child.signal('SIGTERM');
    const impatient = setTimeout(() => child.signal('SIGKILL'), politeMs);
    await child.exited;
    clearTimeout(impatient);
  }

  /** Only what the server needs: the hub's own environment may hold secrets. */
  #environment(): Record<string, string> {
    return {
      PATH: process.env['PATH'] ?? '/usr/bin:/bin',
      PARLEY_NATS_PORT: String(this.port),
      PARLEY_NATS_NAME: this.#name,
      PARLEY_NATS_USER: this.user,
      PARLEY_NATS_PASSWORD: this.password.reveal(),
    };
  }

  /** @returns null when our own server answers on the port, else how it ended. */
  async #untilReady(child: GuardedChild): Promise<ChildExit | null> {
    let end: ChildExit | null = null;
    void child.exited.then((exit) => {
      end = exit;
    });
    const deadline = this.#clock.now() + readyMs;
    while (!end) {
      if ((await probeServerName(this.port, probeMs)) === this.#name) return null;
      if (this.#clock.now() > deadline) child.signal('SIGKILL');
      await pause(probeEveryMs);
    }
    return end;
  }

  /** A server that hangs keeps its connections: nobody else would notice for a long time. */
  #watch(child: GuardedChild, misses = 0): void {
    this.#cancelWatch = this.#clock.schedule(watchEveryMs, () => {
      void probeServerName(this.port, probeMs).then((name) => {
        if (this.#stopping || child !== this.#child) return;
        this.#answers = name === this.#name;
        const missed = this.#answers ? 0 : misses + 1;
        if (missed === mostMisses) {
          this.#options.log.warn({ port: this.port, pid: child.pid }, 'nats.hangs');
          child.signal('SIGKILL');
        } else this.#watch(child, missed);
      });
    });
  }

  #onExit(exit: ChildExit, readyAt: number): void {
    this.#answers = false;
    this.#cancelWatch();
    if (this.#stopping) {
      this.#options.log.info({ port: this.port }, 'nats.stopped');
      return;
    }
    this.#options.log.warn({ port: this.port, code: exit.code, last_lines: exit.lastLines }, 'nats.exited');
    if (this.#clock.now() - readyAt >= steadyMs) this.#backoffMs = firstBackoffMs;
    this.#restartLater();
  }

  #restartLater(): void {
    const delayMs = this.#backoffMs;
    this.#backoffMs = Math.min(delayMs * 2, longestBackoffMs);
    this.#cancelRestart = this.#clock.schedule(delayMs, () => {
      this.#restarts += 1;
      this.start().catch((error: Error) => {
        if (this.#stopping) return;
        this.#options.log.error({ port: this.port, error: error.message }, 'nats.restart_failed');
        this.#restartLater();
      });
    });
  }
}

function describeExit({ code, lastLines }: ChildExit): string {
  return `${lastLines.join(' | ') || 'it said nothing'} (exit code ${code ?? 'none'})`;
}

function pause(ms: number): Promise<void> {
  return new Promise((done) => setTimeout(done, ms));
}

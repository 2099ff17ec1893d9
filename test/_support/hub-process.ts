import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { assertDocumented } from './documented-answers.ts';

const main = fileURLToPath(new URL('../../src/main.ts', import.meta.url));
const holdOperations = new URL('./hold-operations.ts', import.meta.url).href;
/** As `npm start` sets it. */
const compileCache = fileURLToPath(new URL('../../.cache/compile', import.meta.url));
const readyTimeout = 20_000;

/** A loopback port that was free a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}

const secret = 'x'.repeat(40);
/** The system token of every such hub. */
export const processSystemToken = `${secret}s`;

/** A workspace for tests: loopback only, sources on this machine allowed, any metrics port. */
export function testWorkspace(options: { shards?: number; port: number }): string {
  const folder = mkdtempSync(join(tmpdir(), 'parley-hub-'));
  writeFileSync(
    join(folder, 'parley.yaml'),
    [
      `server: { host: 127.0.0.1, port: ${options.port}, metricsPort: 0 }`,
      `data: { dir: ./data, shards: ${options.shards ?? 1} }`,
      `security: { jwtSecret: "${secret}j", systemToken: "${processSystemToken}" }`,
      'integration: { source-api: { enabled: true }, contacts: { enabled: true }, webhook: { enabled: true, name: w } }',
      'components: { sources: { chatplugin: {} } }',
      'visitors: { authenticationsPerAddress: 100000, sendsPerAddress: 100000, sendsPerChannel: 100000 }',
      'outgoing: { allowNetworks: [127.0.0.0/8] }',
      '',
    ].join('\n'),
    { mode: 0o600 },
  );
  return folder;
}

/**
 * A hub in a process of its own, that can be killed and started again on the same workspace and port. Its operations
 * are held to what they declare; disposing of it throws when one broke that, or met a defect.
 */
export class HubProcess implements AsyncDisposable {
  readonly workspace: string;
  readonly url: string;
  /** Lines of the log since the last start. */
  log: Record<string, unknown>[] = [];
  /** What operations met that is no answer, over all starts. */
  readonly defects: string[] = [];
  readonly #env: Record<string, string>;
  #child: ChildProcess | null = null;

  private constructor(workspace: string, port: number, env: Record<string, string>) {
    this.workspace = workspace;
    this.#env = env;
    this.url = `http://127.0.0.1:${port}`;
  }

  /** `env`: variables of its environment besides this process's. `port`: absent, any that is free. */
  static async start(
    options: { shards?: number; env?: Record<string, string>; port?: number } = {},
  ): Promise<HubProcess> {
    const { env = {}, port = await freePort(), ...workspace } = options;
    const hub = new HubProcess(testWorkspace({ ...workspace, port }), port, env);
    await hub.start();
    return hub;
  }

  get file(): string {
    return join(this.workspace, 'data', 'parley.db');
  }

  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  /** Process id of the newest nats-server, from the log. */
  get natsPid(): number {
    const line = this.log.findLast((entry) => String(entry.msg).startsWith('nats.') && typeof entry.pid === 'number');
    return (line?.pid as number | undefined) ?? 0;
  }

  /** Starts the process and resolves when it says that it is ready. */
  async start(): Promise<void> {
    this.log = [];
    const child = spawn(process.execPath, ['--import', holdOperations, main, 'serve', '--workspace', this.workspace], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { NODE_COMPILE_CACHE: compileCache, ...process.env, PARLEY_LOG_LEVEL: 'info', ...this.#env },
    });
    this.#child = child;
    let errors = '';
    child.stderr.on('data', (chunk) => {
      errors += chunk;
    });
    await new Promise<void>((resolve, reject) => {
      const late = setTimeout(
        () => reject(new Error(`the hub is not ready after ${readyTimeout} ms: ${errors}`)),
        readyTimeout,
      );
      child.once('exit', (code, signal) => {
        clearTimeout(late);
        reject(new Error(`the hub ended with ${code ?? signal}: ${errors}`));
      });
      createInterface({ input: child.stdout }).on('line', (line) => {
        const entry = JSON.parse(line) as Record<string, unknown>;
        if (entry.msg === 'operation.failed' || entry.msg === 'inbound.failed') this.defects.push(line);
        if (entry.msg !== 'batch.committed' && entry.msg !== 'operation.answered') this.log.push(entry);
        if (entry.msg !== 'hub.ready') return;
        clearTimeout(late);
        resolve();
      });
    });
  }

  /** Ends the process at once, wherever it is. */
  async kill(): Promise<void> {
    const child = this.#child;
    if (child === null || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  }

  /** Asks the process to end. @returns its exit code */
  async stop(): Promise<number | null> {
    const child = this.#child;
    if (child === null || child.exitCode !== null || child.signalCode !== null) return child?.exitCode ?? null;
    const gone = once(child, 'exit');
    child.kill('SIGTERM');
    await gone;
    return child.exitCode;
  }

  /** Posts JSON. @returns what came back, parsed; a network error is thrown, and an answer that is not documented */
  async post<T>(
    path: string,
    body: unknown,
    headers: Record<string, string> = {},
  ): Promise<{ status: number; headers: Headers; body: T }> {
    const response = await fetch(this.url + path, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...headers },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(15_000),
    });
    const text = await response.text();
    const answer = text === '' ? null : JSON.parse(text);
    assertDocumented(path, response.status, answer);
    return { status: response.status, headers: response.headers, body: answer as T };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
    rmSync(this.workspace, { recursive: true, force: true });
    if (this.defects.length > 0) throw new Error(`operations of the hub failed:\n${this.defects.join('\n')}`);
  }
}

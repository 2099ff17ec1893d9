import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { LoadReport } from './load/options.ts';
import { benchChannel, conversationNames, ingestRequest } from './requests.ts';
import { runLoad } from './run-load.ts';
import { ServerProcess, temporaryFolder } from './server-process.ts';

/** What `npm start` and `npm run parley` run. */
const bootstrap = fileURLToPath(new URL('../src/cli/bootstrap.mjs', import.meta.url));
const readyMessage = 'hub.ready';
const fillBatch = 1_000;
/** Enough that the next batch is read while one is written; their commands fit into a mailbox (4,096). */
const fillConnections = 3;
const secret = (name: string): string => name.padEnd(40, 'x');

/** The id of the source that all benchmarks ingest through. */
export const benchSource = 'bench';

function writeWorkspace(contacts: boolean): string {
  const folder = temporaryFolder();
  const config = [
    'server: { host: 127.0.0.1, port: 0, metricsPort: 0 }',
    `security: { jwtSecret: ${secret('jwt')}, systemToken: ${secret('system')} }`,
    `integration: { source-api: { enabled: true }, contacts: { enabled: ${contacts} }, webhook: { enabled: true, name: w } }`,
    'components: { sources: { chatplugin: {} } }',
    'visitors: { authenticationsPerAddress: 1000000, authenticationsPerChannel: 1000000, sendsPerAddress: 1000000, sendsPerChannel: 1000000 }',
    'outgoing: { allowNetworks: [127.0.0.0/8] }',
    '',
  ];
  writeFileSync(join(folder, 'parley.yaml'), config.join('\n'), { mode: 0o600 });
  return folder;
}

/** The real hub in a process of its own, on a workspace of its own, with one source and one connected channel. */
export class BenchHub implements AsyncDisposable {
  readonly #workspace: string;
  readonly #nodeArgs: string[];
  #process: ServerProcess;
  /** The source's token. */
  token = '';
  /** The channel's id. */
  channel = '';

  private constructor(workspace: string, nodeArgs: string[], process: ServerProcess) {
    this.#workspace = workspace;
    this.#nodeArgs = nodeArgs;
    this.#process = process;
  }

  /** @param nodeArgs options of Node for the hub's process, such as a profiler's; without spaces. `contacts`: the feature is on */
  static async start(nodeArgs: string[] = [], { contacts = true } = {}): Promise<BenchHub> {
    const workspace = writeWorkspace(contacts);
    const process = await startProcess(workspace, nodeArgs).catch((error) => {
      rmSync(workspace, { recursive: true, force: true });
      throw error;
    });
    const hub = new BenchHub(workspace, nodeArgs, process);
    try {
      const source = { source_id: benchSource, name: 'Benchmark' };
      hub.token = (await hub.call<{ token: string }>('sources.create', source)).token;
      const channel = { source_channel_id: benchChannel, name: 'Benchmark line' };
      hub.channel = (await hub.call<{ id: string }>('sources.channels.create', channel, hub.token)).id;
      return hub;
    } catch (error) {
      await hub[Symbol.asyncDispose]();
      throw error;
    }
  }

  get url(): string {
    return this.#process.url;
  }

  /** The database file. */
  get file(): string {
    return join(this.#workspace, 'data', 'parley.db');
  }

  /** From the start of the process to `hub.ready`, in ms. */
  get startMs(): number {
    return this.#process.startMs;
  }

  /** Resident memory of the hub's process, without nats-server, in MB. */
  resident(): { all: number; anonymous: number } {
    return this.#process.resident();
  }

  /** Processor time of the hub's process so far, without nats-server, in s. */
  cpuSeconds(): number {
    return this.#process.cpuSeconds();
  }

  /** Calls an operation. @throws Error with the answer when it is no 2xx */
  async call<T>(operation: string, body: object, token?: string): Promise<T> {
    const response = await fetch(`${this.url}/${operation}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...(token !== undefined && { Authorization: `Bearer ${token}` }) },
      body: JSON.stringify(body),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${operation} answered ${response.status}: ${text}`);
    return (text === '' ? null : JSON.parse(text)) as T;
  }

  /** Ingests `messages` (a multiple of 1,000) through the API, spread evenly over `conversations`. */
  fill(messages: number, conversations: number): Promise<LoadReport> {
    return this.ingest(messages / fillBatch, fillBatch, conversationNames(conversations));
  }

  /** Contacts are made after the answer: resolves when there are so many. */
  async contactsMade(count: number): Promise<void> {
    for (;;) {
      const { pagination_data } = await this.call<{ pagination_data: { total: number } }>('contacts.list', {});
      if (pagination_data.total >= count) return;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }

  /** Ingests batches through the API; the messages walk through the conversations, round and round. */
  ingest(requests: number, messages: number, conversations: string[]): Promise<LoadReport> {
    return runLoad({
      url: this.url,
      request: ingestRequest({ token: this.token, messages, conversations, pick: 'in-turn' }),
      connections: fillConnections,
      warmUp: 0,
      until: { requests },
    });
  }

  /** Stops the process; the workspace stays. */
  stop(): Promise<void> {
    return this.#process.stop();
  }

  async restart(): Promise<void> {
    await this.stop();
    this.#process = await startProcess(this.#workspace, this.#nodeArgs);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
    rmSync(this.#workspace, { recursive: true, force: true });
  }
}

function startProcess(workspace: string, nodeArgs: string[]): Promise<ServerProcess> {
  // The bootstrap says where compiled code is kept, and hands the options in the environment on.
  const env = { NODE_COMPILE_CACHE: undefined, NODE_OPTIONS: nodeArgs.join(' ') };
  return ServerProcess.start([bootstrap, 'parley', 'serve', '--workspace', workspace], readyMessage, workspace, env);
}

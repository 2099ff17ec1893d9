import type { CommandSender } from '#actors/commands.ts';
import type { AnyKind } from '#actors/runtime/kind.ts';
import type { OpenStoreReader } from '#actors/store-reader.ts';
import type { Config } from '#src/config/config.ts';
import type { ConnectorFactory } from '#src/connectors/connector.ts';
import type { Operation } from '#src/http/operation.ts';
import { operations as table } from '#src/http/operations.ts';
import { Metrics } from '#src/metrics.ts';
import { createFront, type Front } from '#src/node/front.ts';
import { type Dispatch, type DispatchPorts, startDispatch } from '#src/node/owner-dispatch.ts';
import { type NodeServices, openServices } from '#src/node/services.ts';
import type { OutgoingClient } from '#src/outgoing/client.ts';
import { SystemIds } from '#src/runtime/system.ts';
import { sourceTokensOf } from '#src/security/source-token.ts';
import type { HealthCheck, Origin } from '#src/services.ts';
import { ActorSystem } from './actor-system.ts';
import { testConfig } from './config.ts';
import { assertDocumented } from './documented-answers.ts';
import { held } from './held-answers.ts';

export interface ApiOptions {
  config?: Config;
  /** In the place of the table of the API. */
  operations?: readonly Operation[];
  /** In the place of the hub's own. */
  connectors?: readonly ConnectorFactory[];
  health?: readonly HealthCheck[];
  /** Kinds of actors, in the place of those of the hub. */
  kinds?: readonly AnyKind[];
  /** What calls receivers of webhooks; by default nobody can be reached. */
  client?: OutgoingClient;
  /** A defect of an operation is what the test is about. */
  defectsExpected?: boolean;
}

/** What came back. `body` is null without one. */
export interface Answered<T> {
  status: number;
  headers: Headers;
  body: T;
}

/** The body of a refusal. */
export interface Refusal {
  error: string;
  code: string;
  details?: { path: string; problem: string }[];
}

/** A command that an operation sent. */
export interface Sent {
  kind: string;
  id: string;
  type: string;
  body: unknown;
  origin: Origin;
}

/** A line of the log. */
export interface Line {
  level: 'info' | 'warn' | 'error';
  event: string;
  fields: Record<string, unknown>;
}

/** Log lines of what is no answer. */
const defects = new Set(['operation.failed', 'inbound.failed']);

const nobody: OutgoingClient = {
  send: async () => ({ kind: 'failed', reason: 'connection', durationMs: 0 }),
  close: async () => {},
};

/**
 * The HTTP API on a loopback port over a real host and a real file, with a bus inside the process and a clock that
 * stands still. Operations are held to what they declare. Disposing of it throws when one broke that, or met a defect.
 */
export class TestApi implements AsyncDisposable {
  readonly system: ActorSystem;
  readonly metrics = new Metrics();
  /** Every command that operations sent, in order. */
  readonly sent: Sent[] = [];
  readonly lines: Line[] = [];
  readonly config: Config;
  readonly services: NodeServices;
  /** Messages that sources pushed so far. */
  pushed = 0;
  url = '';
  metricsUrl = '';
  readonly #options: ApiOptions;
  readonly #front: Front;
  #dispatch: Dispatch | null = null;

  constructor(options: ApiOptions) {
    this.#options = options;
    this.system = new ActorSystem(options.kinds && { kinds: options.kinds });
    this.config = options.config ?? testConfig();
    this.services = this.#services();
    this.#front = createFront(this.services, this.metrics, (options.operations ?? table).map(held));
  }

  get reader(): OpenStoreReader {
    return this.services.store;
  }

  async listen(): Promise<this> {
    Object.assign(this, await this.#front.listen());
    return this;
  }

  /** Posts a body as JSON; text and bytes go out as they are. @throws Error when the answer is not documented */
  async post<T = Refusal>(
    path: string,
    body: unknown = {},
    headers: Record<string, string> = {},
  ): Promise<Answered<T>> {
    const raw = typeof body === 'string' || body instanceof Uint8Array;
    const response = await fetch(this.url + path, {
      method: 'POST',
      body: raw ? (body as NonNullable<RequestInit['body']>) : JSON.stringify(body),
      headers: { 'Content-Type': 'application/json', ...headers },
    });
    const text = await response.text();
    const answer = text === '' ? null : JSON.parse(text);
    if (this.#options.operations === undefined) assertDocumented(path, response.status, answer);
    return { status: response.status, headers: response.headers, body: answer as T };
  }

  /** Sends commands past the API: for what a test needs to be there. */
  get commands(): CommandSender {
    return this.system.commands();
  }

  /** Starts what carries effects out, to the client that was given. */
  startDispatch(): Dispatch {
    const client = this.#options.client ?? nobody;
    return startDispatch(this.services, { sources: client, webhooks: client, metrics: this.metrics });
  }

  /** Registers a source with one connected channel, `line`. */
  async addSource(sourceId: string): Promise<TestSource> {
    const system = { Authorization: this.config.security.systemToken.reveal() };
    const { body } = await this.post<{ token: string }>('/sources.create', { source_id: sourceId }, system);
    const authorization = { Authorization: `Bearer ${body.token}` };
    const line = { source_channel_id: 'line', name: 'Line' };
    const created = await this.post<{ id: string }>('/sources.channels.create', line, authorization);
    return new TestSource(this, authorization, created.body.id);
  }

  /** The token that a source was given at a second, whether it exists or not. */
  tokenOf(sourceId: string, issuedAt: number): Promise<string> {
    return sourceTokensOf(this.config).make({ sourceId, issuedAt });
  }

  /** Carries sends to their sources from now on, by a client that makes no real calls. */
  dispatch(client: OutgoingClient = nobody, ports: Partial<DispatchPorts> = {}): void {
    const { metrics } = this;
    this.#dispatch = startDispatch(this.services, { sources: client, webhooks: client, metrics, ...ports });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#dispatch?.stop();
    await this.#front.close();
    this.services.close();
    await this.system[Symbol.asyncDispose]();
    const errors = this.lines.filter(({ event }) => defects.has(event)).map(({ fields }) => fields['error']);
    if (errors.length > 0 && !this.#options.defectsExpected) throw new AggregateError(errors, String(errors[0]));
  }

  #services(): NodeServices {
    const { system } = this;
    const note = (level: Line['level']) => (fields: Record<string, unknown>, event: string) => {
      this.lines.push({ level, event, fields });
    };
    const services = openServices({
      config: this.config,
      file: system.file,
      bus: system.bus,
      clock: system.clock,
      ids: new SystemIds(),
      log: { info: note('info'), warn: note('warn'), error: note('error') },
      awaited: this.#options.client ?? nobody,
      connectors: this.#options.connectors,
      health: this.#options.health ?? [],
    });
    const commandsFor = (origin: Origin): CommandSender => this.#noted(origin, services.commandsFor(origin));
    return { ...services, commandsFor };
  }

  #noted(origin: Origin, commands: CommandSender): CommandSender {
    const send = (kind: string, id: string, type: string, body: unknown): Promise<unknown> => {
      this.sent.push({ kind, id, type, body, origin });
      return (commands.send as (...command: unknown[]) => Promise<unknown>).call(commands, kind, id, type, body);
    };
    return {
      send: send as CommandSender['send'],
      redrive: (actor, id) => commands.redrive(actor, id),
      relay: (effect) => commands.relay(effect),
    };
  }
}

/** A registered source with one channel, as a test uses it. */
export class TestSource {
  /** The header with its token. */
  readonly authorization: { Authorization: string };
  readonly channel: string;
  readonly #api: TestApi;

  constructor(api: TestApi, authorization: { Authorization: string }, channel: string) {
    this.#api = api;
    this.authorization = authorization;
    this.channel = channel;
  }

  /** Pushes texts that a contact wrote, a second after each other from 2026 on. @returns the conversation's id */
  async push(contact: string, ...texts: string[]): Promise<string> {
    const messages = texts.map((text) => ({
      ...{ source_message_id: `${contact} ${text}`, source_conversation_id: contact, source_channel_id: 'line' },
      ...{ source_sender_id: contact, content: { text }, from_contact: true },
      sent_at: Date.UTC(2026, 0, 1) + this.#api.pushed++ * 1_000,
    }));
    const { body } = await this.#api.post<{ messages: { conversation_id: string }[] }>(
      '/sources.webhook',
      { messages },
      this.authorization,
    );
    return body.messages[0]!.conversation_id;
  }
}

/** A client whose every call is answered alike. */
export const answering = (status: number, body: unknown): OutgoingClient => ({
  async send() {
    const answer = { kind: 'answered', status, headers: {}, body: JSON.stringify(body) } as const;
    return { ...answer, truncated: false, durationMs: 12 };
  },
  close: async () => {},
});

/** A running API. */
export const startApi = (options: ApiOptions = {}): Promise<TestApi> => new TestApi(options).listen();

/** The code of a refusal with its status, as one fact. */
export const refusalOf = ({ status, body }: Answered<Refusal>): [status: number, code: string] => [status, body.code];

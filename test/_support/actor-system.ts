import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CommandSender } from '#actors/commands.ts';
import { localLog } from '#actors/log/local-log.ts';
import type { ShardLog } from '#actors/log/shard-log.ts';
import { kinds as allKinds } from '#actors/kinds.ts';
import type { ActivationLimits } from '#actors/runtime/activation.ts';
import type { AnyKind } from '#actors/runtime/kind.ts';
import type { ActorHost } from '#actors/runtime/host.ts';
import type { MailboxLimits } from '#actors/runtime/mailbox.ts';
import type { Clock, Logger } from '#actors/ports.ts';
import type { RetentionPolicy } from '#actors/runtime/retention.ts';
import { channelId, conversationId, messageId } from '#actors/ids.ts';
import { type Connection, openForReading } from '#actors/store/database.ts';
import { type HostStore, openHostStore } from '#actors/store/host-store.ts';
import { openStoreReader } from '#actors/store-reader.ts';
import { startHost } from '#src/node/owner-host.ts';
import { type NodePorts, type NodeServices, openServices } from '#src/node/services.ts';
import { commandSenders } from '#src/runtime/command-sender.ts';
import { SystemIds } from '#src/runtime/system.ts';
import { sealKeys } from './config.ts';
import { ManualClock } from './manual-clock.ts';
import { MemoryBus } from './memory-bus.ts';

export const silent: Logger = { info() {}, warn() {}, error() {} };

export interface ActorSystemOptions {
  shards?: number;
  /** In the place of those of the hub. */
  kinds?: readonly AnyKind[];
  log?: ShardLog;
  limits?: MailboxLimits;
  activations?: ActivationLimits;
  /** Default: the released schema. */
  migrations?: readonly string[];
  retention?: RetentionPolicy;
  logger?: Logger;
  clock?: Clock & { advance?(ms: number): void };
  /** Changes the store that the host gets. */
  wrapStore?: (store: HostStore) => HostStore;
}

/** A host on a real file, with a bus inside the process and a clock that stands still. */
export class ActorSystem {
  readonly bus = new MemoryBus();
  readonly clock = new ManualClock();
  readonly folder = mkdtempSync(join(tmpdir(), 'parley-test-'));
  readonly file = join(this.folder, 'parley.db');
  readonly #options: ActorSystemOptions;
  #store: HostStore | null = null;
  #host: ActorHost | null = null;

  constructor(options: ActorSystemOptions = {}) {
    this.#options = options;
    this.start();
  }

  get shards(): number {
    return this.#options.shards ?? 1;
  }

  start(): void {
    const { kinds = allKinds, limits, activations, retention, migrations } = this.#options;
    const store = openHostStore({
      ...{ file: this.file, durability: 'normal', shards: this.shards },
      tables: kinds.flatMap(({ table, tables = [] }) => [table, ...tables]),
      ...sealKeys,
      ...(migrations && { migrations }),
    });
    this.#store = store;
    this.#host = startHost({
      store: this.#options.wrapStore?.(store) ?? store,
      log: this.#options.log ?? localLog,
      bus: this.bus,
      clock: this.clock,
      logger: this.#options.logger ?? silent,
      shards: this.shards,
      ...{ kinds, limits, activations, retention },
    });
  }

  /** Resolves when every command that was taken is answered. */
  settle(): Promise<void> {
    return this.#host!.idle();
  }

  /** Null: the host is well. */
  get problem(): string | null {
    return this.#host!.problem;
  }

  async restart(): Promise<void> {
    await this.stop();
    this.start();
  }

  async stop(): Promise<void> {
    await this.#host?.stop();
    this.#store?.close();
    this.#store = null;
  }

  commands(origin: { cause?: string; idempotencyKey?: string } = {}, patience?: number): CommandSender {
    return commandSenders({
      bus: this.bus,
      clock: this.clock,
      ids: new SystemIds(),
      shards: this.shards,
      ...(patience !== undefined && { patience }),
    })({ cause: 'test', ...origin });
  }

  /** The outward half of a node on the same file; the caller closes it. */
  services(ports: Pick<NodePorts, 'config' | 'awaited'>): NodeServices {
    const { bus, clock, file } = this;
    return openServices({ ...{ bus, clock, file, ids: new SystemIds(), log: silent }, ...ports });
  }

  /** A read-only connection for questions of a test; the caller closes it. */
  open(): Connection {
    return openForReading(this.file);
  }

  reader(): ReturnType<typeof openStoreReader> {
    return openStoreReader(this.file, this.shards, sealKeys.sealKey);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

export const testSource = 'acme';
export const testChannel = channelId(testSource, 'line-1');

/** The conversation of the test channel that a contact has. */
export const conversationOf = (contact: string): string => conversationId(testChannel, contact);

/** Sends the command that connects the test channel. */
export async function connectTestChannel(commands: CommandSender): Promise<void> {
  await commands.send('channel', testChannel, 'channel.connect', {
    source: testSource,
    sourceChannelId: 'line-1',
    sourceId: testSource,
    name: 'Line 1',
  });
}

/** The body of an ingest of texts that a contact wrote; message ids at the source are `<prefix>-<n>`. */
export function ingestOf(contact: string, texts: string[], prefix: string = contact) {
  const conversation = conversationOf(contact);
  return {
    origin: { channelId: testChannel, source: testSource, sourceConversationId: contact },
    messages: texts.map((text, n) => ({
      id: messageId(conversation, testSource, `${prefix}-${n}`),
      sourceMessageId: `${prefix}-${n}`,
      senderId: contact,
      content: { text },
      fromContact: true,
      sentAt: Date.UTC(2026, 0, 1, 0, 0, n),
    })),
  };
}

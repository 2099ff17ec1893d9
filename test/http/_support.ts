import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { CommandSender } from '#actors/commands.ts';
import type { StoredAnswer } from '#actors/idempotency-key/contract.ts';
import { Failure } from '#actors/errors.ts';
import type { SourceReader } from '#actors/source/reader.ts';
import type { StoreReader } from '#actors/store-reader.ts';
import { type Config, Secret } from '#src/config/config.ts';
import { sourceTokensOf } from '#src/security/source-token.ts';
import type { Origin, Services } from '#src/services.ts';

export const systemToken = 's'.repeat(32);
export const jwtSecret = 'j'.repeat(32);

/** Every optional feature on, authentication off, any free port. */
export function testConfig(security: Partial<Config['security']> = {}): Config {
  return {
    server: { host: '127.0.0.1', port: 0, publicUrl: '', metricsPort: 0 },
    data: { dir: './data', durability: 'full', shards: 1 },
    nats: { url: '' },
    security: {
      jwtSecret: new Secret(jwtSecret),
      systemToken: new Secret(systemToken),
      authentication: false,
      allowUnauthenticated: false,
      allowedOrigins: [],
      ...security,
    },
    integration: { 'source-api': { enabled: true }, contacts: { enabled: true }, webhook: { enabled: true, name: '' } },
    components: { sources: {} },
    outgoing: { allowNetworks: [] },
    retention: { history: 0, feed: 0, deliveries: 0 },
  };
}

/** Sources by id → the second at which their token was issued. */
export function sourcesOf(issued: Map<string, number>): SourceReader {
  return {
    find(sourceId) {
      const issuedAt = issued.get(sourceId);
      return issuedAt === undefined ? null : { source: { source_id: sourceId }, issuedAt };
    },
    list: () => [...issued.keys()].map((source_id) => ({ source_id })),
  };
}

/** A command as the facade sent it. */
export interface Sent {
  kind: string;
  id: string;
  type: string;
  body: unknown;
  origin: Origin;
}

/** Idempotency keys that work, and a note of every other command; those answer nothing of worth. */
export class Recorder {
  readonly sent: Sent[] = [];
  readonly #keys = new Map<string, { bodyHash: string; answer: StoredAnswer | null }>();

  commandsFor(origin: Origin): CommandSender {
    const send = async (kind: string, id: string, type: string, body: unknown): Promise<unknown> => {
      if (type === 'key.claim') return this.#claim(id, (body as { bodyHash: string }).bodyHash);
      if (type === 'key.complete') {
        this.#keys.get(id)!.answer ??= (body as { answer: StoredAnswer }).answer;
        return null;
      }
      this.sent.push({ kind, id, type, body, origin });
      return type === 'messages.ingest' ? { messages: [] } : null;
    };
    return { send: send as CommandSender['send'], redrive: async () => {} };
  }

  #claim(id: string, bodyHash: string): { answer: StoredAnswer | null } {
    const known = this.#keys.get(id);
    if (known === undefined) this.#keys.set(id, { bodyHash, answer: null });
    else if (known.bodyHash !== bodyHash) throw new Failure('idempotency_conflict', 'Another body came with this key.');
    return { answer: known?.answer ?? null };
  }
}

/** The parts of a hub that the pipeline touches, with a log that can be read. */
export function testServices(options: { config?: Config; issued?: Map<string, number> } = {}) {
  const recorder = new Recorder();
  const lines: { level: string; event: string; fields: Record<string, unknown> }[] = [];
  const note = (level: string) => (fields: Record<string, unknown>, event: string) => {
    lines.push({ level, event, fields });
  };
  let made = 0;
  const config = options.config ?? testConfig();
  const services = {
    config,
    ids: { uuid: () => `00000000-0000-7000-8000-${String(++made).padStart(12, '0')}`, random: () => 0 },
    clock: { now: () => Date.UTC(2026, 0, 1), schedule: () => () => {}, soon: () => () => {} },
    log: { info: note('info'), warn: note('warn'), error: note('error') },
    store: { sources: sourcesOf(options.issued ?? new Map()) } as StoreReader,
    health: [],
    tokens: sourceTokensOf(config),
    commandsFor: (origin: Origin) => recorder.commandsFor(origin),
    onGrew: () => () => {},
  } as unknown as Services;
  return { services, recorder, lines };
}

/** The code of the failure that the work ends with, `none` without one. */
export async function codeOf(work: () => unknown): Promise<string> {
  try {
    await work();
    return 'none';
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return error.code;
  }
}

/** A server on a free loopback port. */
export async function listenTo(handler: Parameters<typeof createServer>[1]) {
  const server = createServer(handler).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

import type { CommandSender } from '#actors/commands.ts';
import type { Failure } from '#actors/errors.ts';
import type { Cancel, Clock, Ids, Logger } from '#actors/ports.ts';
import type { Problems } from '#actors/problems.ts';
import type { Growing } from '#actors/runtime/signal.ts';
import type { FeedReader } from '#actors/journal/feed.ts';
import type { RawUpdates } from '#actors/store/raw-updates.ts';
import type { StoreReader } from '#actors/store-reader.ts';
import type { AttemptRecord } from '#actors/webhook-subscription/contract.ts';
import type { Component } from './config/components.ts';
import type { Config } from './config/config.ts';
import type { CallTools } from './connectors/calls.ts';
import type { ConnectorHealth } from './connectors/health.ts';
import type { Features } from './features.ts';
import type { RawErasing } from './ingest/raw-erasing.ts';
import type { Connectors } from './connectors/registry.ts';
import type { MediaFolder } from './media/folder.ts';
import type { LongReads } from './runtime/long-reads.ts';
import type { IdentityProvider } from './security/identity-provider.ts';
import type { Typing } from './runtime/typing.ts';
import type { SourceTokens } from './security/source-token.ts';
import type { VisitorLimits } from './security/visitor-limits.ts';
import type { VisitorTokens } from './security/visitor-token.ts';

/** Where a command comes from: kept in the journal, and the root of derived command ids. */
export interface Origin {
  /** Text as `actors/cause.ts` has it. */
  cause: string;
  /** On whose behalf; absent: the hub's own. */
  caller?: string;
  /** With a key, the nth command of the same kind, id and type always has the same command id. */
  idempotencyKey?: string;
}

/** One thing the readiness of the hub depends on. */
export interface HealthCheck {
  name: string;
  /** Null: healthy; else a sentence that says what is missing. */
  problem(): string | null;
}

/** What the outward parts of the hub (HTTP, realtime, dispatch) are given. Put together in `src/node/services.ts`. */
export interface Services {
  /** What counts now: what components decide in it changes as they do. */
  config: Config;
  /** Every component of the catalogue, as it is now. */
  components(): readonly Component[];
  features: Features;
  clock: Clock;
  ids: Ids;
  log: Logger;
  store: StoreReader;
  /** Reads that would hold up everything else here, on behalf of a caller. */
  longReadsFor(caller: string): LongReads;
  feed: FeedReader;
  connectors: Connectors;
  connectorHealth: ConnectorHealth;
  /** What connectors call their platforms with while a request waits, apart from the deliveries. */
  callTools: CallTools;
  /** What platforms sent, as it came. */
  raw: RawUpdates;
  rawErasing: RawErasing;
  /** Contents of files. */
  media: MediaFolder;
  health: readonly HealthCheck[];
  /** Of what reads the store here: its readiness depends on them too. */
  problems: Problems;
  /** Something could not be read. @returns what its caller is told; null: the store is not to blame */
  unread(error: unknown): Failure | null;
  tokens: Pick<SourceTokens, 'make' | 'verify'>;
  visitorTokens: Pick<VisitorTokens, 'make' | 'verify'>;
  visitorLimits: VisitorLimits;
  /** Agents who type, for visitors. */
  typing: Typing;
  /** Where people log in; null: nowhere. */
  identityProvider: Pick<IdentityProvider, 'begin' | 'complete'> | null;
  commandsFor(origin: Origin): CommandSender;
  /** Calls `run` after commits that made `what` grow, and now and then besides. It carries no data. */
  onGrew(what: Growing, run: () => void): Cancel;
  /** Sends a sample event to a webhook subscription now, whatever its status. Null: there is no such subscription. */
  testWebhook(id: string): Promise<AttemptRecord | null>;
}

import { actorDefinitions } from '#actors/definitions.ts';
import type { ShardLog } from '#actors/log/shard-log.ts';
import type { Bus, Clock, Logger } from '#actors/ports.ts';
import type { ActorDefinitions } from '#actors/runtime/command-handling.ts';
import { ActorHost } from '#actors/runtime/host.ts';
import type { MailboxLimits } from '#actors/runtime/mailbox.ts';
import type { RetentionPolicy } from '#actors/runtime/retention.ts';
import type { Mover } from '#actors/store/checkpoints.ts';
import type { HostStore } from '#actors/store/host-store.ts';
import { grewSubject, workOfShard } from '#src/nats/subjects.ts';

/** What the host of a node stands on. */
export interface HostPorts {
  /** The node's file, open for its one writer; closed by whoever opened it. */
  store: HostStore;
  log: ShardLog;
  bus: Bus;
  clock: Clock;
  logger: Logger;
  /** How many there are; this host owns them all. */
  shards: number;
  /** Absent: nothing is pruned but answered command ids. */
  retention?: RetentionPolicy | undefined;
  /** Bounds other than the usual, and kinds other than the hub's: for tests. */
  limits?: MailboxLimits | undefined;
  activations?: number | undefined;
  /** Moves the write-ahead log in a thread of its own. */
  mover?: Mover | undefined;
  definitions?: ActorDefinitions | undefined;
}

/**
 * The host side of an owner: takes the commands of its shards, makes them durable and fires their timers. The dispatch
 * side is in a file of its own, as the two run in different threads and a thread loads what it needs.
 */
export function startHost(ports: HostPorts): ActorHost {
  const { store, log, bus, clock, logger, shards, retention, limits, activations, definitions, mover } = ports;
  const host = new ActorHost({
    shards: { count: shards, owned: Array.from({ length: shards }, (_, shard) => shard) },
    store,
    log,
    bus,
    clock,
    logger,
    definitions: definitions ?? actorDefinitions,
    subjects: { workOfShard, grew: grewSubject },
    ...(retention && { retention }),
    ...(limits && { limits }),
    ...(activations !== undefined && { activations }),
    ...(mover && { mover }),
  });
  host.start();
  return host;
}

import { kinds as allKinds } from '#actors/kinds.ts';
import type { ShardLog } from '#actors/log/shard-log.ts';
import type { Bus, Clock, Logger } from '#actors/ports.ts';
import type { ActivationLimits } from '#actors/runtime/activation.ts';
import { ActorHost } from '#actors/runtime/host.ts';
import type { AnyKind } from '#actors/runtime/kind.ts';
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
  /** How many there are. */
  shards: number;
  /** Tells this host from every other one, also from itself before a restart; default a random UUID. */
  name?: string | undefined;
  /** Those that it takes at its start; default all. */
  owned?: readonly number[] | undefined;
  /** Absent: nothing is pruned but answered command ids. */
  retention?: RetentionPolicy | undefined;
  /** Bounds other than the usual, and kinds other than the hub's: for tests. */
  limits?: MailboxLimits | undefined;
  activations?: ActivationLimits | undefined;
  /** Moves the write-ahead log in a thread of its own. */
  mover?: Mover | undefined;
  kinds?: readonly AnyKind[] | undefined;
}

/**
 * The host side of an owner: takes the commands of its shards, makes them durable and fires their timers. The dispatch
 * side is in a file of its own, as the two run in different threads and a thread loads what it needs.
 */
export function startHost(ports: HostPorts): ActorHost {
  const { store, log, bus, clock, logger, shards, retention, limits, activations, kinds, mover, owned, name } = ports;
  const host = new ActorHost({
    shards: { count: shards, owned: owned ?? Array.from({ length: shards }, (_, shard) => shard) },
    store,
    log,
    bus,
    clock,
    logger,
    kinds: kinds ?? allKinds,
    subjects: { workOfShard, grew: grewSubject },
    ...(name !== undefined && { name }),
    ...(retention && { retention }),
    ...(limits && { limits }),
    ...(activations !== undefined && { activations }),
    ...(mover && { mover }),
  });
  host.start();
  return host;
}

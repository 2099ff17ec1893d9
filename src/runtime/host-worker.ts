import { parentPort, workerData } from 'node:worker_threads';
import { actorDefinitions } from '#actors/definitions.ts';
import { localLog } from '#actors/log/local-log.ts';
import { ActorHost } from '#actors/runtime/host.ts';
import { openHostStore } from '#actors/store/host-store.ts';
import { Secret } from '#src/config/config.ts';
import { createLogger, logLevelOf } from '#src/logger.ts';
import { connectBus } from '#src/nats/connection.ts';
import { grewSubject, workOfShard } from '#src/nats/subjects.ts';
import { CheckpointThread } from './checkpoint-thread.ts';
import type { HostMessage, HostStart } from './host-thread.ts';
import { systemClock } from './system.ts';

/** The worker thread that owns the file: a commit stalls this thread and no other. */
const start = workerData as HostStart;
const log = createLogger({ level: logLevelOf(process.env, 'info') });
const port = parentPort;
if (port === null) throw new Error('The host runs in a worker thread.');

const store = openHostStore(start.file, start.durability, start.shards);
const bus = await connectBus({
  url: start.nats.url,
  ...(start.nats.user !== undefined && { user: start.nats.user }),
  ...(start.nats.password !== undefined && { password: new Secret(start.nats.password) }),
  name: 'parley-host',
  log,
});
const mover = new CheckpointThread({ file: start.file, descriptor: start.descriptor }, log);
const host = new ActorHost({
  shards: { count: start.shards, owned: Array.from({ length: start.shards }, (_, shard) => shard) },
  store,
  log: localLog,
  bus,
  clock: systemClock,
  logger: log,
  definitions: actorDefinitions,
  subjects: { workOfShard, grew: grewSubject },
  retention: start.retention,
  mover,
});
host.start();
await bus.flush();

port.on('message', async () => {
  await host.stop();
  await mover.stop();
  await bus.close();
  store.close();
  log.flush();
  port.postMessage({ stopped: true } satisfies HostMessage);
  port.close();
});
port.postMessage({ ready: true } satisfies HostMessage);

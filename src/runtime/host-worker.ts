import { parentPort, workerData } from 'node:worker_threads';
import { Secret } from '#src/config/config.ts';
import { createLogger, logLevelOf } from '#src/logger.ts';
import { connectBus } from '#src/nats/connection.ts';
import { CheckpointThread } from './checkpoint-thread.ts';
import { runHostHere } from './host-here.ts';
import type { HostMessage, HostRequest, HostStart } from './host-thread.ts';
import { ownHeap, releaseCompileCache, trimWhenIdle } from './idle-memory.ts';
import { systemClock } from './system.ts';

/** The worker thread that owns the file: a commit stalls this thread and no other. */
const start = workerData as HostStart;
const log = createLogger({ level: logLevelOf(process.env, 'info') });
const port = parentPort;
if (port === null) throw new Error('The host runs in a worker thread.');

releaseCompileCache();
const bus = await connectBus({
  url: start.nats.url,
  ...(start.nats.user !== undefined && { user: start.nats.user }),
  ...(start.nats.password !== undefined && { password: new Secret(start.nats.password) }),
  name: 'parley-host',
  log,
});
const mover = new CheckpointThread({ file: start.file, descriptor: start.descriptor });
const host = runHostHere(start, { bus, clock: systemClock, logger: log, mover });
await bus.flush();
const stopTrimming = trimWhenIdle(ownHeap(), systemClock, log);

port.on('message', async (request: HostRequest) => {
  if (request === 'look') return port.postMessage({ problem: host.problem() } satisfies HostMessage);
  stopTrimming();
  await host.stop();
  await mover.stop();
  await bus.close();
  log.flush();
  port.close();
});
port.postMessage({ problem: host.problem() } satisfies HostMessage);

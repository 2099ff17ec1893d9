import type { Logger } from '#actors/ports.ts';
import type { Config } from '#src/config/config.ts';
import type { HubLogger } from '#src/logger.ts';
import { ownHeap, releaseCompileCache, trimWhenIdle } from '#src/runtime/idle-memory.ts';
import { systemClock } from '#src/runtime/system.ts';
import type { HubAddresses } from '#src/node/front.ts';

/** What `serve` needs of a hub. */
export interface ServedHub {
  start(): Promise<HubAddresses>;
  stop(): Promise<void>;
}

export type CreateHub = (config: Config, log: Logger) => Promise<ServedHub>;

const stopWithinMs = 5000;
const lingerMs = 500;

/** Resolves with the first signal that asks the process to stop. A second one ends it at once. */
function stopSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      process.once(signal, () => {
        resolve(signal);
        process.once(signal, () => process.exit(130));
      });
    }
  });
}

/** A port that is taken is what goes wrong most often; it deserves a sentence of its own. */
function startError(error: unknown, config: Config): Error {
  const { code, port } = error as NodeJS.ErrnoException & { port?: number };
  if (code !== 'EADDRINUSE') return error instanceof Error ? error : new Error(String(error));
  const key = port === config.server.metricsPort ? 'server.metricsPort' : 'server.port (or --port)';
  return new Error(
    `port ${port ?? config.server.port} is in use: stop the other program, or set ${key} to another port`,
  );
}

/** What nobody caught leaves the hub in a state that nobody knows: it ends, and a supervisor starts it again. */
function dieOfDefects(log: HubLogger): void {
  process.on('uncaughtException', (error, origin) => {
    log.error({ error, origin }, 'hub.crashed');
    process.exit(1);
  });
}

async function stopInTime(hub: ServedHub, log: HubLogger): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<'late'>((resolve) => {
    timer = setTimeout(() => resolve('late'), stopWithinMs);
  });
  const outcome = await Promise.race([hub.stop(), late]);
  clearTimeout(timer);
  if (outcome !== 'late') return;
  log.error({ withinMs: stopWithinMs }, 'hub.stop_timed_out');
  process.exit(1);
}

/** Loaded when it is needed, so that commands which run no hub start fast. */
const createRealHub: CreateHub = async (config, log) => {
  const { createHub } = await import('#src/hub.ts');
  releaseCompileCache();
  return createHub(config, log);
};

/**
 * Runs a hub until a signal: starts it, logs `hub.ready` with its addresses, and drains and stops it within 5 s.
 * @param onReady is told the addresses once the hub answers.
 * @param createHub makes the hub; tests give one of their own.
 * @throws Error when it can not start.
 */
export async function serveUntilStopped(
  config: Config,
  log: HubLogger,
  onReady: (addresses: HubAddresses) => void | Promise<void> = () => {},
  createHub: CreateHub = createRealHub,
): Promise<void> {
  const stopped = stopSignal();
  dieOfDefects(log);
  const hub = await createHub(config, log);
  try {
    const addresses = await hub.start();
    log.info({ ...addresses, pid: process.pid }, 'hub.ready');
    await onReady(addresses);
    trimWhenIdle(ownHeap(), systemClock, log);
  } catch (error) {
    await stopInTime(hub, log).catch(() => {});
    throw startError(error, config);
  }
  const signal = await stopped;
  log.info({ signal }, 'hub.stopping');
  await stopInTime(hub, log);
  log.info({ signal }, 'hub.stopped');
  log.close();
  // What a library left open must not keep a stopped hub's process alive.
  setTimeout(() => process.exit(), lingerMs).unref();
}

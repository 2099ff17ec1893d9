import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Logger } from '#actors/ports.ts';
import { connectBus, type NatsBus } from '#src/nats/connection.ts';
import { provideNatsServer } from '#src/nats/provision.ts';
import { type NatsServer, startNatsServer } from '#src/nats/server.ts';

const root = join(import.meta.dirname, '..', '..');

export const confFile = join(root, 'nats.conf');

export interface LoggedLine {
  level: 'info' | 'warn' | 'error';
  event: string;
  fields: Record<string, unknown>;
}

/** A log that keeps its lines for the test to read. */
export function keepingLog(): Logger & { lines: LoggedLine[]; has(event: string): boolean } {
  const lines: LoggedLine[] = [];
  const at = (level: LoggedLine['level']) => (fields: Record<string, unknown>, event: string) => {
    lines.push({ level, event, fields });
  };
  return {
    lines,
    has: (event) => lines.some((line) => line.event === event),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
  };
}

export function natsBinary(): Promise<string> {
  return provideNatsServer({ cacheDir: join(root, '.cache', 'nats-server'), log: (line) => console.error(line) });
}

/** A folder that is removed after the test. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'parley-nats-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A server that stops after the test. */
export async function startServer(log = keepingLog()): Promise<{ server: NatsServer; log: typeof log }> {
  const server = await startNatsServer({ binary: await natsBinary(), confFile, stateDir: temporaryFolder(), log });
  onTestFinished(() => server.stop());
  return { server, log };
}

/** A connection that is closed after the test. */
export async function connectTo(server: NatsServer, name: string, log: Logger = keepingLog()): Promise<NatsBus> {
  const bus = await connectBus({ url: server.url, user: server.user, password: server.password, name, log });
  onTestFinished(() => bus.close());
  return bus;
}

/** Waits for a fact, asking again and again. @throws Error when it has not come true within the bound. */
export async function until(fact: string, holds: () => boolean | Promise<boolean>, boundMs = 8_000): Promise<void> {
  const deadline = performance.now() + boundMs;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`not within ${boundMs} ms: ${fact}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** A process that has ended but that its parent has not asked about yet (state Z) does not count as alive. */
export function isAlive(pid: number): boolean {
  const { stdout } = spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' });
  return stdout.trim() !== '' && !stdout.trim().startsWith('Z');
}

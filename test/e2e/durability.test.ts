import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { HubProcess } from '../_support/hub-process.ts';
import { SourceClient, until } from '../_support/source-client.ts';

const strace = ['/usr/bin/strace', '/bin/strace'].find((path) => existsSync(path));

/** Whether this process may trace others: containers often forbid it. */
function mayTrace(): boolean {
  if (strace === undefined) return false;
  try {
    execFileSync(strace, ['-o', '/dev/null', 'true'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

async function trace(pid: number, file: string): Promise<ChildProcess> {
  const calls = 'trace=read,recvfrom,fsync,fdatasync,write,writev,sendto,sendmsg';
  const child = spawn(strace!, ['-f', '-s', '4096', '-e', calls, '-e', 'signal=none', '-o', file, '-p', String(pid)], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.on('data', (chunk) => {
    said += chunk;
  });
  await until('strace is attached', () => said.includes('attached'));
  return child;
}

/** Line numbers of the calls that matter for one message: its request, the syncs that ended, its 200. */
function callsOf(lines: string[], id: string): { request: number; syncs: number[]; answer: number } {
  const request = lines.findIndex((line) => line.includes(id) && line.includes('POST /sources.webhook'));
  const answer = lines.findIndex((line) => line.includes(id) && line.includes('HTTP/1.1 200'));
  const syncs = lines.flatMap((line, n) => {
    const ended = /(fsync|fdatasync)(\(\d+\)| resumed>\)) += 0/.test(line);
    return ended && n > request && n < answer ? [n] : [];
  });
  return { request, syncs, answer };
}

// What strace shows, no test double can: the kernel's own order of the sync and the bytes of the answer.
test.skipIf(!mayTrace())('no 2xx leaves before the fsync of its commit', { timeout: 60_000 }, async () => {
  await using hub = await HubProcess.start();
  await using source = await SourceClient.register(hub, 'durable');
  const file = join(hub.workspace, 'trace.txt');
  const tracer = await trace(hub.pid, file);
  const ids = Array.from({ length: 20 }, (_, n) => `durable-message-${n}.`);
  for (const id of ids) expect((await source.ingest('ann', id)).status).toBe(200);
  tracer.kill('SIGINT');
  await once(tracer, 'exit');
  const lines = readFileSync(file, 'utf8').split('\n');
  for (const id of ids) {
    const { request, syncs, answer } = callsOf(lines, id);
    expect(request, `the request of ${id} is traced`).toBeGreaterThanOrEqual(0);
    expect(answer, `the answer of ${id} is traced`).toBeGreaterThan(request);
    expect(syncs.length, `a sync ended between request and answer of ${id}`).toBeGreaterThan(0);
  }
});

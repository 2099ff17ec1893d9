import { execFileSync, spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { BusError } from '#actors/ports.ts';
import { connectBus } from '#src/nats/connection.ts';
import { startNatsServer } from '#src/nats/server.ts';
import {
  confFile,
  connectTo,
  isAlive,
  keepingLog,
  natsBinary,
  startServer,
  temporaryFolder,
  until,
} from './support.ts';

const bytes = (text: string): Uint8Array => Buffer.from(text);

test('listens on loopback at a random port', async () => {
  const { server } = await startServer();
  expect(server.url).toBe(`nats://127.0.0.1:${server.port}`);
  expect(server.port).toBeGreaterThan(1023);
  expect(server.problem()).toBeNull();
  expect(isAlive(server.pid)).toBe(true);
});

test('lets a client with the credentials in', async () => {
  const { server } = await startServer();
  const bus = await connectTo(server, 'ours');
  await bus.flush();
  expect(bus.connected()).toBe(true);
});

test('refuses a client without credentials', async () => {
  const { server } = await startServer();
  const stranger = connectBus({ url: server.url, name: 'stranger', log: keepingLog() });
  await expect(stranger).rejects.toThrow(/Authorization Violation/i);
  await expect(stranger).rejects.toBeInstanceOf(BusError);
});

test('makes other credentials for each start', async () => {
  const [first, second] = [await startServer(), await startServer()];
  expect(first.server.password.reveal()).not.toBe(second.server.password.reveal());
});

test('shows the password neither in argv nor in the log', async () => {
  const { server, log } = await startServer();
  const password = server.password.reveal();
  expect(execFileSync('ps', ['-ww', '-A', '-o', 'args'], { encoding: 'utf8' })).not.toContain(password);
  expect(JSON.stringify([log.lines, server])).not.toContain(password);
});

test('is back after SIGKILL and the bus goes on', async () => {
  const { server, log } = await startServer();
  const [client, service] = [await connectTo(server, 'client', log), await connectTo(server, 'service', log)];
  service.subscribe('echo', (message) => message.respond(message.data));
  await service.flush();
  const [pid, url] = [server.pid, server.url];

  process.kill(pid, 'SIGKILL');

  await until('restart is logged', () => log.has('nats.restarted'));
  await until('both are connected', () => client.connected() && service.connected());
  const answer = await client.request('echo', bytes('again'), 2_000);
  expect(Buffer.from(answer).toString()).toBe('again');
  expect(server.pid).not.toBe(pid);
  expect(server.url).toBe(url);
});

test('a server that hangs is noticed, ended and replaced', async () => {
  const { server, log } = await startServer();
  const { pid } = server;
  process.kill(pid, 'SIGSTOP');
  await until('it is said', () => server.problem() !== null);
  expect(log.has('nats.exited')).toBe(false);
  await until('another one runs', () => server.problem() === null);
  expect([server.pid === pid, isAlive(pid), log.has('nats.hangs')]).toEqual([false, false, true]);
}, 20_000);

test('says that the server is away while it is away', async () => {
  const { server, log } = await startServer();
  process.kill(server.pid, 'SIGKILL');
  await until('exit is noticed', () => log.has('nats.exited'));
  expect(server.problem()).toMatch(/does not answer/);
  await until('server is back', () => server.problem() === null);
});

test('is back after its guard is killed', async () => {
  const { server, log } = await startServer();
  const pid = server.pid;
  const guard = execFileSync('ps', ['-o', 'ppid=', '-p', String(pid)], { encoding: 'utf8' });
  process.kill(Number(guard), 'SIGKILL');
  await until('restart is logged', () => log.has('nats.restarted'));
  expect(isAlive(pid)).toBe(false);
});

test('leaves no process behind after stop', async () => {
  const { server, log } = await startServer();
  await server.stop();
  expect(isAlive(server.pid)).toBe(false);
  expect(log.has('nats.stopped')).toBe(true);
  expect(log.has('nats.exited')).toBe(false);
});

test('dies with a parent that is killed by SIGKILL', async () => {
  const script = join(import.meta.dirname, 'hub-stand-in.ts');
  const parent = spawn(process.execPath, [script, await natsBinary(), confFile, temporaryFolder()], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void parent.kill('SIGKILL'));
  const pid = await new Promise<number>((resolve) => {
    parent.stdout.once('data', (line) => resolve(Number(String(line))));
  });
  expect(isAlive(pid)).toBe(true);

  parent.kill('SIGKILL');

  await until('the server is gone', () => !isAlive(pid));
});

test('names the reason when the server cannot start', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void taken.close());
  await until('port is bound', () => taken.listening);
  const { port } = taken.address() as { port: number };
  const start = startNatsServer({
    ...{ binary: await natsBinary(), confFile, stateDir: temporaryFolder(), log: keepingLog() },
    port,
  });
  await expect(start).rejects.toThrow(/did not start: .*address already in use/);
});

test('names the program that cannot be run', async () => {
  const binary = join(temporaryFolder(), 'no-such-program');
  const start = startNatsServer({ binary, confFile, stateDir: temporaryFolder(), log: keepingLog() });
  await expect(start).rejects.toThrow(/no-such-program.*not found/);
});

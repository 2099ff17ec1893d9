import { existsSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { loadConfig } from '#src/config/load.ts';
import manifest from '../../package.json' with { type: 'json' };
import { temporaryFolder } from '../config/files.ts';
import { runParley } from './run.ts';

/** An HTTP server that gives every call the same answer, and the calls it got. */
async function answering(status: number, body: unknown) {
  const calls: { url: string | undefined; authorization: string | undefined }[] = [];
  const server = createServer((request, response) => {
    calls.push({ url: request.url, authorization: request.headers.authorization });
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { calls, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

const service = { enabled: true, healthy: false, component: 'api-contacts' };
const clientConfig = { cluster_version: '1.2.3', services: { 'api-contacts': service }, user_profile: null };

test('version prints the version', async () => {
  const run = await runParley(['version'], temporaryFolder());
  expect(run).toEqual({ code: 0, stdout: `parley ${manifest.version}\n`, stderr: '' });
});

test('version --json prints JSON', async () => {
  const run = await runParley(['version', '--json'], temporaryFolder());
  expect(JSON.parse(run.stdout)).toMatchObject({ version: manifest.version });
});

test('--help names every command and the global flags', async () => {
  const run = await runParley(['--help'], temporaryFolder());
  expect(run.code).toBe(0);
  const words = [
    'create',
    'start',
    'serve',
    'demo',
    'simulate',
    'status',
    'api',
    'verify',
    'version',
    '--apihost',
    '--workspace',
  ];
  for (const word of words) expect(run.stdout).toContain(word);
  expect(run.stdout).not.toContain('demo-source');
});

test.each(['create', 'start', 'serve', 'demo', 'status', 'api', 'verify', 'version'])(
  '%s has a help of its own',
  async (name) => {
    const run = await runParley([name, '-h'], temporaryFolder());
    expect(run).toMatchObject({ code: 0, stderr: '' });
    expect(run.stdout).toContain(`Usage: parley ${name}`);
  },
);

test.each([
  ['an unknown command', ['verson'], 'Did you mean version?'],
  ['an unknown flag', ['version', '--jsn'], 'Did you mean --json?'],
  ['a port that is no number', ['serve', '--port', 'web'], 'A port is a whole number from 0 to 65535.'],
  ['a port out of range', ['start', '--port', '65536'], 'A port is a whole number from 0 to 65535.'],
  ['a folder that is no workspace', ['serve'], 'there is no parley.yaml'],
  ['an address that is none', ['status', '--apihost', 'hub'], 'not an http address: hub'],
  ['an unknown provider', ['create', '--provider', 'cloud'], 'Allowed choices are local.'],
  ['a bad provider setting', ['create', '--provider-config', 'size=3'], 'Use <key=value,...>'],
  ['a bad namespace', ['create', '--namespace', 'A b'], 'Use lower-case letters'],
])('%s is an error', async (_title, args, expected) => {
  const run = await runParley(args, temporaryFolder());
  expect(run).toMatchObject({ code: 1, stdout: '' });
  expect(run.stderr).toContain(expected);
});

test('create --init-only makes a workspace that loads', async () => {
  const folder = temporaryFolder();
  const run = await runParley(
    ['create', 'shop', '--init-only', '--disable-tracking', '--namespace', 'shop', '--provider-config', 'port=9001'],
    folder,
  );
  expect(run).toMatchObject({ code: 0, stdout: '' });
  expect(run.stderr).toContain('security.authentication: true');
  const file = join(folder, 'shop', 'parley.yaml');
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(loadConfig({ file, env: {} }).server.port).toBe(9001);
  const cli: unknown = parse(readFileSync(join(folder, 'shop', 'cli.yaml'), 'utf8'));
  expect(cli).toEqual({ apihost: '', namespace: 'shop', provider: 'local' });
});

test('create --init-only uses --workspace', async () => {
  const folder = temporaryFolder();
  await runParley(['create', '--init-only', '--workspace', 'a'], folder);
  expect(existsSync(join(folder, 'a', 'parley.yaml'))).toBe(true);
});

test('create leaves a workspace that exists alone', async () => {
  const folder = temporaryFolder();
  await runParley(['create', '--init-only'], folder);
  const before = readFileSync(join(folder, 'parley.yaml'), 'utf8');
  const run = await runParley(['create', '--init-only'], folder);
  expect(run.code).toBe(1);
  expect(run.stderr).toContain('exists already');
  expect(readFileSync(join(folder, 'parley.yaml'), 'utf8')).toBe(before);
});

test('serve reports every problem of the configuration', async () => {
  const folder = temporaryFolder();
  await runParley(['create', '--init-only'], folder);
  const run = await runParley(['serve'], folder, { PARLEY_SERVER_PORT: 'x', PARLEY_DATA_SHARDS: 'y' });
  expect(run).toMatchObject({ code: 1, stdout: '' });
  expect(run.stderr).toContain('PARLEY_SERVER_PORT: server.port must be');
  expect(run.stderr).toContain('PARLEY_DATA_SHARDS: data.shards must be');
});

test('api endpoint prints the address of the workspace', async () => {
  const folder = temporaryFolder();
  await runParley(['create', '.parley', '--init-only', '--provider-config', 'port=9002'], folder);
  expect((await runParley(['api', 'endpoint'], folder)).stdout).toBe('http://127.0.0.1:9002\n');
  expect((await runParley(['api', 'endpoint', '--json'], folder)).stdout).toBe(
    '{"endpoint":"http://127.0.0.1:9002"}\n',
  );
});

test('api endpoint prints --apihost where it is given', async () => {
  const run = await runParley(['--apihost', 'http://hub.example:1/', 'api', 'endpoint'], temporaryFolder());
  expect(run.stdout).toBe('http://hub.example:1\n');
});

test('status prints a table of services', async () => {
  const hub = await answering(200, clientConfig);
  const run = await runParley(['status', '--apihost', hub.url], temporaryFolder());
  expect(run.stdout).toBe(
    `Parley 1.2.3 at ${hub.url}\n\n` +
      'SERVICE       ENABLED  HEALTHY  COMPONENT\napi-contacts  yes      no       api-contacts\n',
  );
  expect(hub.calls).toEqual([{ url: '/client.config', authorization: undefined }]);
});

test('status --json prints JSON', async () => {
  const hub = await answering(200, clientConfig);
  const run = await runParley(['status', '--apihost', hub.url, '--json'], temporaryFolder());
  expect(JSON.parse(run.stdout)).toEqual({ endpoint: hub.url, version: '1.2.3', services: clientConfig.services });
});

test('the token goes only to a host the workspace names', async () => {
  const hub = await answering(200, clientConfig);
  const folder = temporaryFolder();
  await runParley(['create', '--init-only'], folder);
  await runParley(['status', '--apihost', hub.url], folder);
  await runParley(['status', '--apihost', hub.url, '--workspace', '.'], folder);
  const token = loadConfig({ file: join(folder, 'parley.yaml'), env: {} }).security.systemToken.reveal();
  expect(hub.calls.map((call) => call.authorization)).toEqual([undefined, `Bearer ${token}`]);
});

test('an error of the API is shown with its sentence', async () => {
  const hub = await answering(401, { error: 'A credential is needed.', code: 'unauthorized' });
  const run = await runParley(['status', '--apihost', hub.url], temporaryFolder());
  expect(run).toMatchObject({ code: 1, stdout: '', stderr: 'error: client.config: A credential is needed.\n' });
});

test('a hub that does not run is an error', async () => {
  const run = await runParley(['demo', '--apihost', 'http://127.0.0.1:1'], temporaryFolder());
  expect(run).toMatchObject({ code: 1, stdout: '' });
  expect(run.stderr).toContain('no hub answers at http://127.0.0.1:1 (ECONNREFUSED)');
});

test("the demo's source ends with its input", async () => {
  const run = await runParley(['demo-source'], temporaryFolder());
  expect(run).toMatchObject({ code: 0, stderr: '' });
  expect(JSON.parse(run.stdout)).toEqual({ port: expect.any(Number) });
});

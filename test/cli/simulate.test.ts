import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import type { HubFacts } from '#src/cli/simulate/hub-facts.ts';
import { introductionOf } from '#src/cli/simulate/introduction.ts';
import { makeDouble } from '#src/doubles/platforms.ts';
import { startDouble } from '#src/doubles/server.ts';
import { simulatedSources } from '#src/doubles/sources.ts';
import { temporaryFolder } from '../config/files.ts';
import { runParley } from './run.ts';

const hub = ['--hub', 'http://127.0.0.1:8080'];
const once = ['--port', '0', '--until-input-ends'];

/** A folder with a configuration. */
function workspace(sources: string, more = ''): string {
  const folder = temporaryFolder();
  const secret = 'xy'.repeat(20);
  const lines = [
    `security: { jwtSecret: "${secret}", systemToken: "${secret}z" }`,
    `components: { sources: { ${sources} } }`,
    more,
  ];
  writeFileSync(join(folder, 'parley.yaml'), lines.join('\n'));
  return folder;
}

test('a double is introduced with calls to copy', async () => {
  const run = await runParley(['simulate', 'telco.sms', ...hub, ...once], temporaryFolder());
  expect(run).toMatchObject({ code: 0, stderr: '' });
  expect(run.stdout).toContain('A double of telco.sms answers at http://127.0.0.1:');
  expect(run.stdout).toMatch(/curl -s -X POST http:\/\/127\.0\.0\.1:\d+\/_control\/message/);
  expect(run.stdout).toMatch(/apiBase: http:\/\/127\.0\.0\.1:\d+/);
});

test.each(simulatedSources)('$source is connected by its own operation', async (simulated) => {
  const facts: HubFacts = {
    ...{ hub: { url: 'http://hub.example', publicUrl: 'http://hub.example' }, port: 0 },
    ...{ credentials: null, mayCallHere: true },
  };
  await using double = await startDouble({
    ...{ port: 0, hub: facts.hub },
    make: (tools) => makeDouble(simulated, null, tools),
  });
  const { source, component } = simulated;
  const text = introductionOf(source, double, facts);
  expect(text).toContain(`curl -s -X POST http://hub.example/channels.${source}.connect`);
  const [lines = ''] = /^ {2}components:\n(?: {3}.*\n)+/m.exec(text) ?? [];
  const { configuration } = double.introduction;
  expect(parse(lines)).toEqual({ components: { sources: { [component]: configuration } } });
});

test('credentials that the hub has are not shown', async () => {
  const folder = workspace('telco: { accountSid: AC1, authToken: the-token-of-the-account }');
  const run = await runParley(['simulate', 'telco.sms', ...once, '--json'], folder);
  expect(JSON.parse(run.stdout)).toMatchObject({ source: 'telco.sms', hub: 'http://127.0.0.1:8080' });
  const shown = await runParley(['simulate', 'telco.sms', ...once], folder);
  expect(run.stdout + shown.stdout).not.toContain('the-token-of-the-account');
  expect(shown.stdout).toContain('set components.sources.telco.apiBase in parley.yaml to http://127.0.0.1:');
});

test('a hub that may not call this machine is told so', async () => {
  const telco = 'telco: { accountSid: AC1, authToken: t }';
  const closed = await runParley(['simulate', 'telco.sms', ...once], workspace(telco));
  expect(closed.stdout).toContain('outgoing.allowNetworks in parley.yaml must contain 127.0.0.0/8');
  const open = workspace(telco, 'outgoing: { allowNetworks: [127.0.0.0/8] }');
  expect((await runParley(['simulate', 'telco.sms', ...once], open)).stdout).not.toContain('allowNetworks');
});

test('--config names a file, --credential what is not in it', async () => {
  const file = join(workspace(''), 'parley.yaml');
  const args = ['simulate', 'telco.sms', '--config', file, ...once, '--json'];
  const known = await runParley([...args, '--credential', 'accountSid=AC1', '--credential', 'authToken=t'], '/');
  expect(JSON.parse(known.stdout)).not.toHaveProperty('configuration');
  expect(JSON.parse((await runParley(args, '/')).stdout)).toHaveProperty('configuration.accountSid');
});

test.each([
  ['an unknown source', ['simulate', 'letters', ...hub], 'there is no double of letters; there are pageplatform,'],
  ['no hub', ['simulate', 'telco.sms'], 'there is no parley.yaml here'],
  ['a share above one', ['simulate', 'telco.sms', '--fail', '2'], 'A share is a number from 0 to 1.'],
  ['a rate of nothing', ['simulate', 'telco.sms', '--throttle', '0'], 'A rate is a number above 0.'],
  ['a credential without a value', ['simulate', 'telco.sms', '--credential', 'x'], 'Use <key=value>.'],
  ['half of the credentials', ['simulate', 'telco.sms', ...hub, '--credential', 'authToken=t'], 'lack accountSid'],
])('%s is an error', async (_, args, expected) => {
  const run = await runParley([...args, '--port', '0'], temporaryFolder());
  expect(run).toMatchObject({ code: 1, stdout: '' });
  expect(run.stderr).toContain(expected);
});

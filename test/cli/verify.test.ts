import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { ActorSystem, connectTestChannel, conversationOf, ingestOf } from '../_support/actor-system.ts';
import { jwtSecret } from '../_support/config.ts';
import { rowsOf, turnsOf } from '../actors/support.ts';
import { temporaryFolder } from '../config/files.ts';
import { runParley } from './run.ts';

/** A workspace whose data file is that of a system, which may still be at work. */
async function workspaceOf(system: ActorSystem): Promise<() => ReturnType<typeof runParley>> {
  const folder = temporaryFolder();
  await runParley(['create', '--init-only'], folder);
  const env = { PARLEY_DATA_DIR: system.folder, PARLEY_SECURITY_JWT_SECRET: jwtSecret };
  return () => runParley(['verify', '--workspace', folder], folder, env);
}

test('verify counts what is sound while the hub is at work', async () => {
  await using system = new ActorSystem();
  const verify = await workspaceOf(system);
  await connectTestChannel(system.commands());
  await system.commands().send('conversation', conversationOf('ann'), 'messages.ingest', ingestOf('ann', ['1', '2']));
  const { channel, conversation, message } = rowsOf(system.file);
  const rows = channel.length + conversation.length + message.length;
  const stdout = `ok: ${turnsOf(system.file).length} turns, ${rows} rows\n`;
  expect(await verify()).toEqual({ code: 0, stdout, stderr: '' });
});

test('verify prints a line for each problem, and fails', async () => {
  await using system = new ActorSystem();
  const verify = await workspaceOf(system);
  await connectTestChannel(system.commands());
  await system.stop();
  const db = new Database(system.file);
  db.exec("UPDATE channel SET token = 'another', created_at = 0");
  db.close();
  const [row] = rowsOf(system.file).channel;
  const name = `channel ${String(row?.['key'])}`;
  const stdout = `${name}: its token does not open in its place\n${name}: its row is not as its last turn left it\n`;
  expect(await verify()).toEqual({ code: 1, stdout, stderr: '' });
});

test('verify says that a file is of an older program', async () => {
  await using system = new ActorSystem();
  const verify = await workspaceOf(system);
  await system.stop();
  const db = new Database(system.file);
  db.pragma('user_version = 1');
  db.close();
  const run = await verify();
  expect([run.code, run.stdout]).toEqual([1, '']);
  expect(run.stderr).toContain('schema version 1');
});

test('verify without a data file says so', async () => {
  const folder = temporaryFolder();
  await runParley(['create', '--init-only'], folder);
  const run = await runParley(['verify', '--workspace', folder], folder);
  expect(run).toMatchObject({ code: 1, stdout: '' });
  expect(run.stderr).toContain('there is no data file');
});

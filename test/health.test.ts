import { execFileSync, spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createHub } from '#src/hub.ts';
import { testConfig } from './_support/config.ts';

vi.stubEnv('PARLEY_LOG_LEVEL', 'silent');

/** A fault is said within this time, in ms. */
const soon = { timeout: 3_000, interval: 50 };
/** A hub is well again within this time after a fault, in ms. */
const later = { timeout: 15_000, interval: 50 };

interface Answer {
  status: number;
  body: { code?: string; messages?: { conversation_id: string }[]; data?: { content: { text: string } }[] };
}

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'parley-health-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A running hub with a source that pushes what Ann writes. */
async function startHub(dir: string) {
  const config = testConfig();
  const hub = await createHub({ ...config, data: { ...config.data, dir } });
  onTestFinished(() => hub.stop());
  const { url } = await hub.start();
  const post = async (path: string, body: unknown, token = ''): Promise<Answer & { body: Record<string, never> }> => {
    const headers = { 'Content-Type': 'application/json', ...(token !== '' && { Authorization: token }) };
    const response = await fetch(url + path, { method: 'POST', body: JSON.stringify(body), headers });
    return { status: response.status, body: (await response.json()) as Record<string, never> };
  };
  const { token } = (await post('/sources.create', { source_id: 'acme' })).body;
  await post('/sources.channels.create', { source_channel_id: 'line', name: 'Line' }, token);
  return {
    readiness: async () => (await fetch(`${url}/health/ready`)).text(),
    push: (...texts: string[]) =>
      post('/sources.webhook', { messages: texts.map(messageOf) }, token) as Promise<Answer>,
    list: (conversation: string) =>
      post('/messages.list', { conversation_id: conversation, page_size: 1_000 }) as Promise<Answer>,
  };
}

const messageOf = (text: string) => ({
  ...{ source_message_id: text, source_conversation_id: 'ann', source_channel_id: 'line', source_sender_id: 'ann' },
  ...{ content: { text }, from_contact: true, sent_at: Date.UTC(2026, 0, 1) },
});

/** A small disk of its own at a folder; false: this process may not make one. */
function mountDisk(folder: string): boolean {
  return spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=16m', 'tmpfs', folder]).status === 0;
}

const mayMount = (() => {
  const folder = mkdtempSync(join(tmpdir(), 'parley-mount-'));
  const isMounted = mountDisk(folder);
  if (isMounted) execFileSync('umount', [folder]);
  rmSync(folder, { recursive: true });
  return isMounted;
})();

/** Takes all that is left of a disk. */
function fill(path: string): void {
  const descriptor = openSync(path, 'w');
  const piece = Buffer.alloc(4_096);
  try {
    for (;;) writeSync(descriptor, piece);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  } finally {
    closeSync(descriptor);
  }
}

test.skipIf(!mayMount)('a full disk: unready, nothing lost, well by itself', { timeout: 40_000 }, async () => {
  const disk = temporaryFolder();
  mountDisk(disk);
  onTestFinished(() => void execFileSync('umount', [disk]));
  const hub = await startHub(disk);
  const acknowledged: string[] = [];
  const push = async (text: string): Promise<Answer> => {
    const answer = await hub.push(text);
    if (answer.status === 200) acknowledged.push(text);
    return answer;
  };
  const first = await push('before');
  fill(join(disk, 'filler'));
  let refused = await push('full 0');
  for (let n = 1; refused.status === 200; n++) refused = await push(`full ${n}`);
  expect(refused).toMatchObject({ status: 503, body: { code: 'unavailable' } });
  await vi.waitFor(async () => expect(await hub.readiness()).toContain('database or disk is full'), soon);
  // So long that the host has probed its store.
  for (const until = performance.now() + 2_500; performance.now() < until; ) {
    expect([(await push('still full')).status, await hub.readiness()]).toEqual([503, expect.stringContaining('full')]);
  }
  rmSync(join(disk, 'filler'));
  await vi.waitFor(async () => expect(await hub.readiness()).toBe('{"status":"ok"}'), later);
  expect((await push('after')).status).toBe(200);
  const { data } = (await hub.list(first.body.messages![0]!.conversation_id)).body;
  expect(data?.map(({ content }) => content.text)).toEqual(acknowledged);
});

test('a writer that is locked out: unready until it gets on', { timeout: 40_000 }, async () => {
  const folder = temporaryFolder();
  const hub = await startHub(folder);
  const other = new Database(join(folder, 'parley.db'));
  other.exec('BEGIN IMMEDIATE');
  const answer = hub.push('hi');
  await vi.waitFor(async () => expect(await hub.readiness()).toContain('the actor host does not answer'), soon);
  other.exec('ROLLBACK');
  other.close();
  expect((await answer).status).toBe(200);
  await vi.waitFor(async () => expect(await hub.readiness()).toBe('{"status":"ok"}'), later);
});

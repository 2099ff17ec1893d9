import Database from 'better-sqlite3';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { verifyFile } from '#actors/journal/verify.ts';
import { kinds, kindTables } from '#actors/kinds.ts';
import { openHostStore } from '#actors/store/host-store.ts';
import { migrations } from '#actors/store/migrations/index.ts';
import { grewSubject } from '#src/nats/subjects.ts';
import { ActorSystem } from '../_support/actor-system.ts';
import { rowsOf } from './support.ts';
import { delivered, failed, ingest, subscriberOf } from './webhook-support.ts';
import { itemsOf } from '../_support/pages.ts';

test('a file of the first schema gets the tables of webhooks', () => {
  const folder = mkdtempSync(join(tmpdir(), 'parley-test-'));
  const file = join(folder, 'parley.db');
  try {
    const db = new Database(file);
    db.exec(migrations[0]!);
    db.pragma('user_version = 1');
    db.close();
    openHostStore({ file, durability: 'normal', shards: 1, tables: kindTables }).close();
    expect(rowsOf(file)).toMatchObject({ webhook_subscription: [], webhook_delivery: [], webhook_attempt: [] });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test('every change that a dispatcher waits for is signalled', async () => {
  await using system = new ActorSystem();
  const subscriber = await subscriberOf(system);
  await ingest(system, 'ann', ['1']);
  const [item] = subscriber.next();
  let signals = 0;
  const cancel = system.bus.subscribe(grewSubject(0), () => signals++);
  const signalled = async (work: () => Promise<unknown>): Promise<boolean> => {
    signals = 0;
    await work();
    await system.settle();
    return signals > 0;
  };
  // What a dispatcher records is news to nobody else.
  expect(await signalled(() => subscriber.breakDown([item!]))).toBe(false);
  // The wait of the endpoint, and of the delivery, ends.
  expect(await signalled(() => subscriber.advance(5_000))).toBe(true);
  expect(subscriber.work().probing).toBe(true);
  expect(await signalled(() => subscriber.update({ url: 'https://other.test/' }))).toBe(true);
  expect(await signalled(() => subscriber.replay(item!))).toBe(false);
  await subscriber.record([[item!, delivered]]);
  expect(await signalled(() => subscriber.replay(item!))).toBe(true);
  expect(await signalled(() => subscriber.send('webhook.unsubscribe'))).toBe(true);
  expect(await signalled(() => subscriber.send('webhook.delete'))).toBe(true);
  cancel();
});

test('a delivery that its steps do not fold to is found', async () => {
  await using system = new ActorSystem();
  const subscriber = await subscriberOf(system);
  await ingest(system, 'ann', ['1', '2']);
  const [a, b] = subscriber.next();
  await subscriber.record([
    [a!, failed],
    [b!, failed],
  ]);
  expect(verifyFile(system.file, kinds)).toMatchObject({ problems: [] });
  await system.stop();
  const db = new Database(system.file);
  const tamper = db.prepare('UPDATE webhook_delivery SET ready = 1 WHERE feed_key = ?');
  tamper.run(a!.feedKey);
  db.prepare(`UPDATE webhook_delivery SET machine = replace(machine, '"failures":1', '"failures":2')
    WHERE feed_key = ?`).run(b!.feedKey);
  db.close();
  const keys = rowsOf(system.file).webhook_delivery.map(({ key }) => key);
  expect(verifyFile(system.file, kinds).problems).toEqual([
    `webhook_delivery ${keys[1]}: its steps fold to another state than stored`,
    `webhook_delivery ${keys[0]}: it shows scheduled 1, its machine scheduled 0`,
    `webhook_delivery ${keys[0]}: it is not as its last turn left it`,
    `webhook_delivery ${keys[1]}: it is not as its last turn left it`,
  ]);
});

test('of many attempts the newest hundred are shown', async () => {
  await using system = new ActorSystem();
  const subscriber = await subscriberOf(system);
  await ingest(system, 'ann', ['1']);
  const [item] = subscriber.next();
  for (let n = 0; n < 120; n++) {
    system.clock.advance(1);
    await subscriber.record([[item!, delivered]]);
  }
  const items = itemsOf(subscriber.reader.webhooks.deliveries(subscriber.id, { limit: 1, from: null }, {}));
  const times = items[0]!.attempts.map(({ at }) => Date.parse(at));
  expect(times).toHaveLength(100);
  expect(times.at(-1)).toBe(system.clock.now());
  expect(times).toEqual([...times].sort((a, b) => a - b));
});

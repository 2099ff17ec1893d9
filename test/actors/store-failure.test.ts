import { expect, test } from 'vitest';
import { localLog } from '#actors/log/local-log.ts';
import type { ShardLog } from '#actors/log/shard-log.ts';
import type { HostStore } from '#actors/store/host-store.ts';
import { ActorSystem, connectTestChannel, conversationOf, ingestOf } from '../_support/actor-system.ts';
import {
  envelopeFor,
  eventsOf,
  expectSound,
  failureOf,
  RecordingLog,
  request,
  rowsOf,
  sendText,
  turnsOf,
} from './support.ts';

interface Failing {
  code: string | null;
  /** Commits of probes reach the disk all the same. */
  spares?: 'probe';
}

/** A store whose commit fails with `failing.code` while that is set. */
function failingStore(): { failing: Failing; wrapStore: (store: HostStore) => HostStore } {
  const failing: Failing = { code: null };
  return {
    failing,
    wrapStore(store) {
      const commit = store.transactions.commit.bind(store.transactions);
      const probe = store.transactions.probe.bind(store.transactions);
      let isProbe = false;
      store.transactions.probe = () => {
        isProbe = true;
        probe();
      };
      store.transactions.commit = () => {
        const isSpared = isProbe && failing.spares === 'probe';
        isProbe = false;
        if (failing.code !== null && !isSpared)
          throw Object.assign(new Error('database or disk is full'), { code: failing.code });
        commit();
      };
      return store;
    },
  };
}

const ingest = (system: ActorSystem, contact: string) =>
  envelopeFor(system, 'conversation', conversationOf(contact), 'messages.ingest', ingestOf(contact, ['hi']));

test.each([
  ['SQLITE_FULL', 1],
  ['SQLITE_IOERR_WRITE', 4],
])('after %s nothing is answered ok until the store is back', async (code, shards) => {
  const { failing, wrapStore } = failingStore();
  await using system = new ActorSystem({ wrapStore, shards });
  await connectTestChannel(system.commands());
  const before = rowsOf(system.file);
  failing.code = code;
  const unavailable = { ok: false, failure: { code: 'unavailable', retryAfter: 1 } };
  const batch = ['ann', 'bob', 'cid'].map((contact) => ingest(system, contact));
  for (const reply of await Promise.all(batch.map((one) => request(system, one)))) {
    expect(reply).toMatchObject(unavailable);
  }
  expect(rowsOf(system.file)).toEqual(before);
  expect(await request(system, ingest(system, 'dan'))).toMatchObject(unavailable);
  system.clock.advance(1_000);
  expect(await request(system, ingest(system, 'dan'))).toMatchObject(unavailable);
  failing.code = null;
  expect(await request(system, ingest(system, 'dan'))).toMatchObject(unavailable);
  system.clock.advance(1_000);
  for (const one of batch) expect(await request(system, one)).toMatchObject({ ok: true });
  const rows = rowsOf(system.file);
  expect(rows.message).toHaveLength(3);
  expect(eventsOf(system).filter(({ type }) => type === 'message.created')).toHaveLength(3);
  expectSound(system);
});

test('a store is well again after a batch, and says so once', async () => {
  const { failing, wrapStore } = failingStore();
  const lines: string[] = [];
  const note = (_fields: unknown, event: string): void => void lines.push(event);
  await using system = new ActorSystem({ wrapStore, logger: { info() {}, warn: note, error: note } });
  await connectTestChannel(system.commands());
  // A probe fits where no batch does.
  failing.spares = 'probe';
  failing.code = 'SQLITE_FULL';
  for (let seconds = 0; seconds < 10; seconds++) {
    expect(await request(system, ingest(system, 'ann'))).toMatchObject({ failure: { code: 'unavailable' } });
    expect(system.problem).toBe('the store can not be written: database or disk is full');
    system.clock.advance(1_000);
  }
  expect(lines).toEqual(['store.failed']);
  failing.code = null;
  expect(await request(system, ingest(system, 'ann'))).toMatchObject({ ok: true });
  expect([system.problem, lines]).toEqual([null, ['store.failed']]);
});

test('without commands a store is well after two probes', async () => {
  const { failing, wrapStore } = failingStore();
  await using system = new ActorSystem({ wrapStore });
  await connectTestChannel(system.commands());
  failing.code = 'SQLITE_FULL';
  await request(system, ingest(system, 'ann'));
  system.clock.advance(5_000);
  expect(system.problem).toContain('disk is full');
  failing.code = null;
  system.clock.advance(1_000);
  expect(system.problem).toContain('disk is full');
  system.clock.advance(1_000);
  expect(system.problem).toBeNull();
});

test('lsn, keys and seq have no gap after a failure', async () => {
  const { failing, wrapStore } = failingStore();
  const log = new RecordingLog();
  await using broken = new ActorSystem({ wrapStore, log });
  await using healthy = new ActorSystem();
  for (const system of [broken, healthy]) {
    await connectTestChannel(system.commands());
    if (system === broken) {
      failing.code = 'SQLITE_FULL';
      await request(system, ingest(system, 'ann'));
      failing.code = null;
    }
    system.clock.advance(1_000);
    await request(system, ingest(system, 'ann'));
  }
  const keysOf = (system: ActorSystem) => {
    const { shard, message, conversation } = rowsOf(system.file);
    const [{ lsn, next_key, next_position } = {}] = shard;
    const turns = turnsOf(system.file).map(({ key, previous, events }) => ({ key, previous, seq: events.at(-1)?.seq }));
    const { key, seq, last_turn } = conversation[0]!;
    return { lsn, next_key, next_position, message: message[0]?.key, turns, conversation: { key, seq, last_turn } };
  };
  expect(keysOf(broken)).toEqual(keysOf(healthy));
  expectSound(broken);
});

test('an error in the middle of a batch undoes all of it', async () => {
  const failing = { now: false };
  await using system = new ActorSystem({
    wrapStore(store) {
      const apply = store.transactions.apply.bind(store.transactions);
      store.transactions.apply = (change) => {
        if (failing.now && change.table === 'journal') {
          throw Object.assign(new Error('disk I/O error'), { code: 'SQLITE_IOERR' });
        }
        apply(change);
      };
      return store;
    },
  });
  await connectTestChannel(system.commands());
  const before = rowsOf(system.file);
  failing.now = true;
  expect(await request(system, ingest(system, 'ann'))).toMatchObject({ failure: { code: 'unavailable' } });
  expect(rowsOf(system.file)).toEqual(before);
  failing.now = false;
  system.clock.advance(1_000);
  expect(await request(system, ingest(system, 'ann'))).toMatchObject({ ok: true });
  expectSound(system);
});

test('timers that can not be read end nothing, and fire later', async () => {
  let unread = false;
  const lines: string[] = [];
  const note = (_fields: unknown, event: string): void => void lines.push(event);
  const guard =
    <A extends unknown[], R>(read: (...asked: A) => R) =>
    (...asked: A): R => {
      if (unread) throw Object.assign(new Error('database disk image is malformed'), { code: 'SQLITE_CORRUPT' });
      return read(...asked);
    };
  await using system = new ActorSystem({
    logger: { info() {}, warn: note, error: note },
    wrapStore: (store) => ({ ...store, nextTimer: guard(store.nextTimer), dueTimers: guard(store.dueTimers) }),
  });
  await sendText(system.commands(), 'ann', 'hello?');
  unread = true;
  system.clock.advance(40_000);
  await connectTestChannel(system.commands());
  expect([system.problem, lines]).toEqual(['timers: database disk image is malformed', ['problem.began']]);
  unread = false;
  system.clock.advance(1_000);
  await system.settle();
  expect(rowsOf(system.file)).toMatchObject({ parked_send: [], timer: [] });
  expect(system.problem).toBeNull();
});

test('a timer due during a failure fires when the store is back', async () => {
  const { failing, wrapStore } = failingStore();
  await using system = new ActorSystem({ wrapStore });
  const id = conversationOf('ann');
  const body = { messageId: conversationOf('m'), content: 1, sender: { id: 'a' } };
  await system.commands().send('conversation', id, 'message.send', body);
  failing.code = 'SQLITE_FULL';
  system.clock.advance(30_000);
  await system.settle();
  expect(rowsOf(system.file).parked_send).toHaveLength(1);
  failing.code = null;
  system.clock.advance(2_000);
  await system.settle();
  expect(rowsOf(system.file)).toMatchObject({ parked_send: [], timer: [] });
  expect(eventsOf(system).map(({ type }) => type)).toEqual([
    ...['message.created', 'metadata.updated', 'message.updated'],
  ]);
});

test('a log that throws undoes the batch', async () => {
  const throwing = { now: false };
  const log: ShardLog = {
    ...localLog,
    append() {
      if (throwing.now) throw new Error('no space');
    },
  };
  await using system = new ActorSystem({ log });
  await connectTestChannel(system.commands());
  const before = rowsOf(system.file);
  throwing.now = true;
  expect(await request(system, ingest(system, 'ann'))).toMatchObject({ failure: { code: 'unavailable' } });
  expect(rowsOf(system.file)).toEqual(before);
  throwing.now = false;
  system.clock.advance(1_000);
  expect(await request(system, ingest(system, 'ann'))).toMatchObject({ ok: true });
  expect(rowsOf(system.file).shard).toMatchObject([{ lsn: 2 }]);
  expectSound(system);
});

test('a reply that can not be sent leaves the command done', async () => {
  await using system = new ActorSystem();
  const commands = system.commands();
  await connectTestChannel(commands);
  const publish = system.bus.subscribe.bind(system.bus);
  system.bus.subscribe = (pattern, handle) =>
    publish(pattern, (message) =>
      handle({
        ...message,
        respond(data) {
          if (Buffer.from(data).includes('"duplicate":false')) throw new Error('connection closed');
          message.respond(data);
        },
      }),
    );
  await system.restart();
  const envelope = ingest(system, 'ann');
  system.bus.publish(`parley.work.0.conversation.${envelope.actor.id}`, Buffer.from(JSON.stringify(envelope)));
  expect(await failureOf(commands.send('conversation', conversationOf('x'), 'conversation.mark-read', null))).toBe(
    'not_found',
  );
  const id = conversationOf('ann');
  expect(await commands.send('conversation', id, 'conversation.mark-read', null)).toBeNull();
  expect(rowsOf(system.file).message).toHaveLength(1);
});

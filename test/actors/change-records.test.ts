import { join } from 'node:path';
import { expect, test } from 'vitest';
import { kindTables } from '#actors/kinds.ts';
import { applyRecord } from '#actors/log/apply.ts';
import { type ChangeRecord, recordHash } from '#actors/log/shard-log.ts';
import type { Change } from '#actors/store/table.ts';
import { openHostStore } from '#actors/store/host-store.ts';
import { componentActorId, contactOfConversation, mediaActorId, sourceActorId } from '#actors/ids.ts';
import {
  ActorSystem,
  connectTestChannel,
  conversationOf,
  ingestOf,
  testChannel,
  testSource,
} from '../_support/actor-system.ts';
import { sendThrice } from './sending.ts';
import { delivered, failed, Subscriber } from './webhook-support.ts';
import { envelopeFor, failureOf, RecordingLog, request, rowsOf, sendText, uuid, withHandlers } from './support.ts';

/** A run that touches every table, ends timers and fails now and then. */
async function run(system: ActorSystem): Promise<void> {
  const commands = system.commands();
  await connectTestChannel(commands);
  const contacts = Array.from({ length: 12 }, (_, n) => `c${n}`);
  await Promise.all(contacts.map((contact) => sendText(commands, contact, 'are you there?')));
  await Promise.all(
    contacts
      .slice(0, 8)
      .map((contact) =>
        commands.send('conversation', conversationOf(contact), 'messages.ingest', ingestOf(contact, ['1', '2'])),
      ),
  );
  const reader = system.reader();
  for (let shard = 0; shard < system.shards; shard++) {
    for (const [n, effect] of reader.outbox.after(shard, 0, 100).entries()) {
      const { message, conversation } = reader.deliveries.find(effect.subject)!;
      const about = { messageId: message.id, effectId: effect.id };
      const { revision } = await commands.send('conversation', conversation.id, 'attempt.start', about);
      const { origin, messages } = ingestOf(conversation.sourceConversationId, ['by hand'], `s${shard}`);
      const said = messages.map((pushed) => ({ ...pushed, fromContact: false }));
      await commands.send('conversation', conversation.id, 'messages.ingest', { origin, messages: said });
      const outcome =
        n % 2 === 0
          ? ({ kind: 'unreachable', error: 'down', jitter: 0.5, giveUpAfter: 0 } as const)
          : ({ kind: 'succeeded', sourceMessageId: `s${shard}-${n}`, metadata: { a: 1 } } as const);
      await commands.send('conversation', conversation.id, 'attempt.finish', { ...about, revision, outcome });
    }
  }
  reader.close();
  await sendThrice(system, 'dan');
  const acme = sourceActorId('acme');
  await commands.send('source', acme, 'source.create', { sourceId: 'acme' });
  await commands.send('source', acme, 'metadata.park', {
    source: 'acme',
    items: [{ namespace: 'message', sourceId: 'later', metadata: { ü: '😀\u0000' } }],
  });
  await commands.send('idempotency-key', acme, 'key.claim', { bodyHash: 'x' });
  await changeContacts(system);
  const file = { sha256: 'a'.repeat(64), bytes: 1, type: 'image/png', name: 'a.png' };
  await commands.send('media', mediaActorId(file.sha256), 'media.store', file);
  const picture = ingestOf('ann', [`/media/${file.sha256}`], 'picture');
  await commands.send('conversation', conversationOf('ann'), 'messages.ingest', picture);
  await uninstallComponent(system);
  await tagSomebody(system);
  await commands.send('template', uuid(), 'template.create', { name: 'Hello', source: 'acme', content: ['Hi'] });
  await deliverWebhooks(system);
  expect(await failureOf(commands.send('source', acme, 'source.create', { sourceId: 'acme' }))).toBe('source_exists');
  await request(system, envelopeFor(system, 'conversation', conversationOf('c0'), 'test.throw', null));
  system.clock.advance(31_000);
  await system.settle();
}

/** A configured component, which the hub is asked to stop. */
async function uninstallComponent(system: ActorSystem): Promise<void> {
  const named = { name: 'sources-telco', inFile: true };
  const id = componentActorId(named.name);
  const configuration = { secret: '{"authToken":"a-token"}', shown: { authToken: '...' } };
  await system.commands().send('component', id, 'component.update', { ...named, enabled: true, configuration });
  await system.commands().send('component', id, 'component.uninstall', named);
}

/** Contacts of conversations; what one showed before is pruned. */
async function changeContacts(system: ActorSystem): Promise<void> {
  for (const contact of ['c0', 'c1']) {
    const conversationId = conversationOf(contact);
    const id = contactOfConversation(conversationId);
    const appearance = { conversationId, source: testSource, displayName: contact };
    await system.commands().send('contact', id, 'contact.appear', appearance);
    await system.commands().send('contact', id, 'contact.update', { fields: { title: 'Dr.' } });
  }
  const [from, into] = ['c0', 'c1'].map((contact) => contactOfConversation(conversationOf(contact))) as [
    string,
    string,
  ];
  const person = { id: from, display_name: 'c0', conversations: {}, created_at: new Date(0).toISOString() };
  const merged = { from, merges: 1, path: [from], contact: person, history: [] };
  await system.commands().send('contact', into, 'contact.absorb', merged);
  const part = { part: 0, contacts: [{ display_name: 'Ann' }] };
  await system.commands().send('contact-import', uuid(), 'import.add', part);
}

/** A tag that a conversation has, as both know. */
async function tagSomebody(system: ActorSystem): Promise<void> {
  const [tagId, conversationId] = [uuid(), conversationOf('c0')];
  await system.commands().send('tag', tagId, 'tag.create', { name: 'Urgent', color: 'tag-red' });
  await system.commands().send('conversation', conversationId, 'conversation.tag', { tagId });
  await system.commands().send('tag', tagId, 'tag.attached', { conversationId });
}

/** Deliveries of every status; one subscription is deleted, and what it leaves is pruned. */
async function deliverWebhooks(system: ActorSystem): Promise<void> {
  for (const keep of [false, true]) {
    const subscriber = new Subscriber(system);
    await subscriber.subscribe({ start: [], signatureKey: 'key' });
    const [a, b, c, d] = subscriber.next();
    const more = { deferred: [d!], cursor: d!.position };
    await subscriber.record(
      [
        [a!, delivered],
        [b!, failed],
        [c!, { kind: 'expired' }],
      ],
      more,
    );
    if (!keep) await subscriber.send('webhook.delete');
    subscriber.reader.close();
  }
}

const kinds = withHandlers({
  'test.throw'() {
    throw new Error('a defect');
  },
});

test.each([1, 4])('records are numbered and chained, with %i shards', async (shards) => {
  const log = new RecordingLog();
  await using system = new ActorSystem({ shards, log, kinds });
  await run(system);
  await system.restart();
  await connectTestChannel(system.commands());
  for (const row of rowsOf(system.file).shard) {
    const records = log.records.filter(({ shard }) => shard === row.shard);
    expect(records.map(({ lsn }) => lsn)).toEqual(records.map((_, i) => i + 1));
    expect(records.map(({ prevHash }) => prevHash)).toEqual(['', ...records.map(recordHash)].slice(0, -1));
    expect(row).toMatchObject({ lsn: records.length, epoch: 1, hash: recordHash(records.at(-1)!) });
  }
  expect(new Set(log.records.map(({ shard }) => shard)).size).toBe(shards);
});

test('whatever differs in a record, its hash tells', () => {
  const changes: Change[] = [
    { op: 'insert', table: 'timer', row: { key: 1, name: 'a' } },
    { op: 'update', table: 'timer', key: 2, row: { due: 3 } },
    { op: 'delete', table: 'timer', key: 4 },
    { op: 'cut', table: 'journal', from: 5, to: 6 },
  ];
  const record: ChangeRecord = {
    ...{ shard: 0, epoch: 1, lsn: 2, prevHash: 'x', changes },
    position: { next_key: 3, next_position: 4, horizon: 1, time: 0, sums: '{}' },
  };
  const differing: ChangeRecord[] = [];
  const collect = (part: object, put: (part: object) => ChangeRecord): void => {
    for (const [name, value] of Object.entries(part)) {
      if (typeof value === 'object') collect(value, (inner) => put({ ...part, [name]: inner }));
      else if (name !== 'op') differing.push(put({ ...part, [name]: typeof value === 'number' ? value + 1 : 'other' }));
    }
  };
  const { changes: _, ...rest } = record;
  collect(rest, (part) => ({ ...record, ...part }));
  for (const [i, change] of changes.entries()) {
    collect(change, (part) => ({ ...record, changes: changes.with(i, part as Change) }));
    differing.push({ ...record, changes: changes.toSpliced(i, 1) });
  }
  expect(differing.length).toBeGreaterThan(20);
  expect(new Set([record, ...differing].map(recordHash)).size).toBe(differing.length + 1);
});

const testKey = { name: 'CRM', hash: 'hash', operations: ['*'], sources: ['acme'], createdBy: 'test' };

/** What a standby does. A record that is delivered twice changes nothing. */
function applyAll(file: string, records: ChangeRecord[]): void {
  const store = openHostStore({ file, durability: 'normal', shards: 4, tables: kindTables });
  for (const record of records) {
    applyRecord(store, record);
    applyRecord(store, record);
  }
  store.close();
}

test.each([1, 4])('applying the records gives the same rows, with %i shards', async (shards) => {
  const log = new RecordingLog();
  await using system = new ActorSystem({ shards, log, kinds, retention: { journal: 20_000 } });
  await run(system);
  for (let round = 0; round < 3; round++) {
    system.clock.advance(10_000);
    await system.settle();
    await connectTestChannel(system.commands());
    await system.commands().send('idempotency-key', testChannel, 'key.claim', { bodyHash: 'y' });
    await system.commands().send('api-key', testChannel, 'api-key.create', testKey);
    await system.commands().send('user', testChannel, 'user.log-in', { userId: 'id.example:ann' });
    const login = { hash: 'hash', user: testChannel, expiresAt: 1 };
    await system.commands().send('user-session', testChannel, 'session.start', login);
  }
  const cuts = log.records.flatMap(({ changes }) =>
    changes.filter(({ op, table }) => op === 'cut' && table === 'journal'),
  );
  expect(cuts).not.toEqual([]);
  const standby = join(system.folder, 'standby.db');
  applyAll(
    standby,
    log.records.map((record) => JSON.parse(JSON.stringify(record)) as ChangeRecord),
  );
  const rows = rowsOf(system.file);
  expect(rowsOf(standby)).toEqual(rows);
  const empty = Object.entries(rows).filter(([, content]) => content.length === 0);
  expect(empty.map(([table]) => table)).toEqual(['parked_send', 'parked_echo', 'contact_import']);
});

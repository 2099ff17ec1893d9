import { fewestAttempts } from '#machines/message-delivery.ts';
import { verifyFile } from '#actors/journal/verify.ts';
import { kinds } from '#actors/kinds.ts';
import type { Json } from '#actors/representation.ts';
import { uuidFromBytes, uuidToBytes } from '#actors/uuid.ts';
import type { Connection } from '#actors/store/database.ts';
import { workSubject } from '#src/nats/subjects.ts';
import { sealKeys } from '../_support/config.ts';
import { differences } from './files.ts';
import { holds } from './holds.ts';
import { wrongErasures } from './erasures.ts';
import { wrongContacts } from './people.ts';
import type { Ledger, Send } from './ledger.ts';
import { tagProblems } from './tag-problems.ts';
import type { Witness } from './witness.ts';
import type { World } from './world.ts';

/** Everything that does not hold of a quiet hub (docs/architecture.md, "Invariants"). */
export function problemsOf(world: World, ledger: Ledger): string[] {
  const { db } = world;
  return [
    ...world.nodes.flatMap(({ file }) => verifyProblems(file)),
    ...storeProblems(world),
    ...chainProblems(world),
    ...sendProblems(world, ledger),
    ...ingestProblems(db, ledger),
    ...upsertProblems(db, ledger),
    ...tagProblems(db, ledger),
    ...saidProblems(db, ledger),
    ...acceptanceProblems(world),
    ...attemptProblems(world),
    ...givenUpProblems(world),
    ...eventProblems(world),
    ...divergence(world),
    ...servingProblems(world),
  ];
}

/** Both files of a cluster are equal, row by row. */
function divergence({ nodes: [a, b] }: World): string[] {
  return b === undefined ? [] : differences(a!.db, b.db);
}

function verifyProblems(file: string): string[] {
  const { problems } = verifyFile(file, kinds, sealKeys.sealKey);
  const ofGone = /of webhook-delivery \d+ (follows on|folds to another state)/;
  return holds.goneDeliveriesVerify ? problems : problems.filter((problem) => !ofGone.test(problem));
}

/** Queries that find nothing in a store that is as it must be. */
const wrong: Record<string, string> = {
  ...wrongContacts,
  ...wrongErasures,
  'two messages share the id of their source': `SELECT conversation, source_message_id FROM message
     WHERE source_message_id IS NOT NULL GROUP BY 1, 2 HAVING count(*) > 1`,
  'a send ended neither delivered nor failed': `SELECT key, state FROM message
     WHERE state NOT IN ('delivered', 'failed')`,
  'a failed send has no error': `SELECT key FROM message
     WHERE state = 'failed' AND metadata ->> 'error' IS NULL`,
  'a dead letter': 'SELECT error FROM dead_letter',
  'unread is not the machine’s': `SELECT key FROM conversation WHERE unread_count <> context ->> 'unread'`,
  'the state is not the machine’s': `SELECT key FROM conversation
     WHERE coalesce(lower(workflow), 'none') <> value ->> 'workflow'`,
  'presence is not the machine’s': `SELECT key FROM conversation
     WHERE (created_at IS NOT NULL) <> (value ->> 'presence' = 'present')`,
  'connected is not the machine’s': `SELECT key FROM channel WHERE (connected = 1) <> (value = '"connected"')`,
  'messages are not counted': `SELECT c.key FROM conversation c
     WHERE c.messages <> (SELECT count(*) FROM message m WHERE m.conversation = c.key)`,
  'a disconnected channel keeps its token': 'SELECT key FROM channel WHERE connected = 0 AND token IS NOT NULL',
  'the last message is not the latest': `SELECT c.key FROM conversation c JOIN message l ON l.key = c.last_message
     WHERE l.sent_at <> (SELECT max(m.sent_at) FROM message m WHERE m.conversation = c.key)`,
};

/** How much of each kind a quiet hub still has to do: none. */
export function waitingIn(world: World): Record<string, number> {
  const { db, store } = world;
  const counts = db.prepare(
    `SELECT (SELECT count(*) FROM outbox) AS outbox, (SELECT count(*) FROM timer) AS timer,
       (SELECT count(*) FROM message WHERE state = 'pending') AS pending,
       (SELECT count(*) FROM parked_send) AS parked_send,
       (SELECT count(*) FROM parked_echo) AS parked_echo,
       (SELECT count(*) FROM parked_metadata p WHERE EXISTS (
         SELECT 1 FROM conversation c WHERE c.source_conversation_id = p.target AND c.source = p.source_id
         AND c.channel_id = ifnull(p.channel, c.channel_id))) AS said`,
  );
  const webhooks = store.webhooks.list().filter(({ state }) => state !== 'idle').length;
  const behind = store.webhooks.queueDepth().filter((queue) => queue.scheduled + queue.behind > 0).length;
  return { ...(counts.get() as Record<string, number>), webhooks, behind };
}

/** As `wrong`, of a store in which nothing was forgotten. */
const wrongOfAll: Record<string, string> = {
  'unread is not what came since the last read': `SELECT c.key, c.unread_count FROM conversation c
     WHERE c.unread_count <> (SELECT count(*) FROM message m WHERE m.conversation = c.key AND m.from_contact = 1
       AND m.turn > coalesce((SELECT max(j.key) FROM journal j, json_each(j.steps) s
         WHERE j.actor = c.key AND s.value ->> 1 = 0 AND s.value ->> '$[4].type' = 'read'), 0))`,
};

function storeProblems({ db, retention }: World): string[] {
  return Object.entries(retention === null ? { ...wrong, ...wrongOfAll } : wrong).flatMap(([problem, sql]) => {
    const rows = db.prepare(sql).all();
    return rows.length === 0 ? [] : [`${problem}: ${JSON.stringify(rows.slice(0, 3))}`];
  });
}

function chainProblems({ nodes, logs }: World): string[] {
  const rows = nodes.flatMap(({ db }) => db.prepare('SELECT shard, lsn, hash FROM shard').all());
  return [
    ...logs.problems,
    ...(rows as { shard: number; lsn: number; hash: string }[]).flatMap((row) => logs.chainProblems(row)),
  ];
}

function sendProblems({ db, witness }: World, ledger: Ledger): string[] {
  const stored = new Map<string, { id: string; conversation: string }[]>();
  const rows = db.prepare(
    `SELECT m.content ->> 'text' AS text, m.id, c.id AS conversation FROM message m
     JOIN conversation c ON c.key = m.conversation`,
  );
  for (const { text, id, conversation } of rows.all() as { text: string; id: Uint8Array; conversation: Uint8Array }[]) {
    const found = { id: uuidFromBytes(id), conversation: uuidFromBytes(conversation) };
    stored.set(text, [...(stored.get(text) ?? []), found]);
  }
  const givenUp = givenUpIn(witness);
  const asked = new Map<string, Send[]>();
  for (const send of ledger.sends) asked.set(send.text, [...(asked.get(send.text) ?? []), send]);
  return [...asked].flatMap(([text, sends]) => sendsOf(text, sends, stored.get(text) ?? [], givenUp));
}

/** A text that was sent once, or once more with a key that had expired. */
function sendsOf(
  text: string,
  sends: readonly Send[],
  stored: readonly { id: string; conversation: string }[],
  givenUp: Set<unknown>,
): string[] {
  const problems: string[] = [];
  const ids = new Set(stored.map(({ id }) => id));
  for (const { id, acknowledged } of sends) {
    const isThere = acknowledged === null || ids.delete(id!) || (acknowledged === 'parked' && givenUp.has(id));
    if (!isThere) problems.push(`send "${text}" was acknowledged as ${acknowledged} ${id} and is not there`);
  }
  const open = sends.filter(({ acknowledged, denied }) => acknowledged === null && !denied).length;
  if (ids.size > open) problems.push(`send "${text}" is stored ${stored.length} times, or its client was denied it`);
  if (stored.some(({ conversation }) => conversation !== sends[0]!.conversation)) {
    problems.push(`send "${text}" is in another conversation`);
  }
  return problems;
}

/** Messages whose conversation never appeared: their sends ended with an event that says so. */
function givenUpIn({ seen }: Witness): Set<unknown> {
  const errors = seen.filter(({ event }) => {
    const { metadata } = event.payload as { metadata?: { error?: unknown } };
    return event.type === 'metadata.updated' && metadata?.error !== undefined;
  });
  return new Set(errors.map(({ event }) => event.payload['identifier']));
}

function ingestProblems(db: Connection, ledger: Ledger): string[] {
  const stored = db.prepare(
    `SELECT m.id, m.echo_id FROM message m JOIN conversation c ON c.key = m.conversation
     WHERE m.source_message_id = ? AND c.id = ?`,
  );
  return ledger.ingested.flatMap(({ conversation, sourceMessageId, id, ofItself }) => {
    if (ofItself) return [`${sourceMessageId} was called a duplicate of itself`];
    const rows = stored.all(sourceMessageId, uuidToBytes(conversation)) as {
      id: Uint8Array;
      echo_id: Uint8Array | null;
    }[];
    const ids = rows.map((row) => [row.id, row.echo_id].flatMap((bytes) => bytes ?? []).map(uuidFromBytes));
    if (ids.length === 1 && ids[0]!.includes(id)) return [];
    return [`ingest of ${sourceMessageId} was answered with ${id}; stored: ${ids.join(', ')}`];
  });
}

function upsertProblems(db: Connection, ledger: Ledger): string[] {
  const byId = db.prepare('SELECT metadata FROM conversation WHERE id = ?').pluck();
  return ledger.metadata.flatMap(({ conversation, key, acknowledged, denied }) => {
    const metadata = JSON.parse((byId.get(uuidToBytes(conversation)) as string | undefined) ?? '{}') as {
      user_data?: Record<string, Json>;
    };
    const there = metadata.user_data?.[key] === true;
    if (acknowledged && !there) return [`user_data.${key} was acknowledged and is not there`];
    return denied && there ? [`user_data.${key} is there, its client was told that nothing was changed`] : [];
  });
}

function saidProblems(db: Connection, ledger: Ledger): string[] {
  const metadata = db.prepare('SELECT metadata FROM conversation WHERE id = ? AND created_at IS NOT NULL').pluck();
  return ledger.said.flatMap(({ source, contact, conversation, key }) => {
    const text = metadata.get(uuidToBytes(conversation)) as string | undefined;
    const there = text === undefined || (JSON.parse(text) as Record<string, Json>)[key] === true;
    return there ? [] : [`what ${source} said about ${contact} was acknowledged and is not there: ${key}`];
  });
}

/** The feed is as it was seen, as far as it need be kept, and has an event for every message. */
function eventProblems({ db, store, witness, retention, time }: World): string[] {
  const created = witness.seen.filter(({ event }) => event.type === 'message.created');
  const announced = new Set(created.map(({ event }) => (event.payload['message'] as { id: string }).id));
  const silent = (db.prepare('SELECT id FROM message').pluck().all() as Uint8Array[])
    .map(uuidFromBytes)
    .filter((id) => !announced.has(id));
  const kept = witness.kept(store.feed);
  // A shard whose hub was down makes up for it at twice the pace, so half of the period is what surely is kept.
  const young = time.now() - (retention === null ? Number.POSITIVE_INFINITY : retention.journal / 2);
  const early = witness.seen.filter((seen) => seen.at > young && !kept.has(seen));
  return [
    ...witness.problems,
    ...silent.map((id) => `message ${id} has no event`),
    ...early.map(({ text }) => `an event was forgotten too early: ${text}`),
  ];
}

/** Who gives a source up that can not be reached has called it five times for the message. */
function givenUpProblems({ db, callWatch }: World): string[] {
  const rows = db.prepare(
    `SELECT id, metadata ->> 'error' AS error FROM message
     WHERE state = 'failed' AND (error LIKE 'The source could not be reached%' OR error LIKE 'The source answered%500%')`,
  );
  return (rows.all() as { id: Uint8Array; error: string }[]).flatMap(({ id, error }) => {
    const calls = callWatch.calls.get(uuidFromBytes(id)) ?? 0;
    return calls >= fewestAttempts ? [] : [`${uuidFromBytes(id)} failed after ${calls} calls: ${error}`];
  });
}

/** A source is called once for each attempt that was started, at most. */
function attemptProblems({ db, callWatch, retention }: World): string[] {
  // Of what is forgotten nobody knows how often it was tried.
  if (retention !== null) return [];
  const rows = db.prepare(
    `SELECT m.id, count(*) AS started FROM journal j, json_each(j.steps) s JOIN message m ON m.key = s.value ->> 1
     WHERE s.value ->> '$[4].type' = 'attempt.started' GROUP BY m.id`,
  );
  const started = new Map(
    (rows.all() as { id: Uint8Array; started: number }[]).map(({ id, started }) => [uuidFromBytes(id), started]),
  );
  return [...callWatch.calls]
    .filter(([id, calls]) => calls > (started.get(id) ?? 0))
    .map(([id, calls]) => `${calls} calls for ${id}, and ${started.get(id) ?? 0} attempts`);
}

/** Each shard is served by one host: whatever else listens is an owner that was left behind. */
function servingProblems({ bus, shards }: World): string[] {
  return Array.from({ length: shards }, (_, shard) => workSubject(shard, { kind: 'any', id: 'any' }))
    .filter((subject) => bus.serving(subject) !== 1)
    .map((subject) => `${bus.serving(subject)} hosts serve ${subject}`);
}

/** A source has a message twice only when the hub could not know that it had it. */
function acceptanceProblems(world: World): string[] {
  return [...world.sources.accepted].flatMap(([id, acceptances]) => {
    const known = acceptances.findIndex((acceptance) => acceptance.known);
    if (known < 0) return [];
    const problems: string[] = [];
    if (world.stateOf(id) !== 'delivered') problems.push(`${id} was accepted and is ${world.stateOf(id)}`);
    const { tenure } = acceptances[known]!;
    // What an owner that was replaced has begun can not be called back.
    const isAgain = acceptances.slice(known + 1).some((later) => later.tenure === tenure);
    if (isAgain) problems.push(`${id} was sent again after its source had accepted it`);
    return problems;
  });
}

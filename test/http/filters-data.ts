import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll } from 'vitest';
import { Failure } from '#actors/errors.ts';
import { uuidToBytes } from '#actors/uuid.ts';
import { migrations } from '#actors/store/migrations/index.ts';
import { openForReading } from '#actors/store/database.ts';
import { foundBy } from '#actors/conversation/search/found.ts';
import { SearchIndex } from '#actors/conversation/search/index.ts';
import { parseFilter } from '#src/http/filters/grammar.ts';

export const uuidOf = (digit: string) =>
  `${digit.repeat(8)}-${digit.repeat(4)}-7${digit.repeat(3)}-8${digit.repeat(3)}-${digit.repeat(12)}`;
export const tags = { urgent: uuidOf('1'), later: uuidOf('2'), deleted: uuidOf('3') };
export const channels = { sms: uuidOf('c'), shop: uuidOf('d') };

/** The data set: conversations a, b, … whose ids repeat one hexadecimal digit. */
export const rows = {
  a: {
    name: 'Ann Smith',
    source: 'twilio.sms',
    channel: channels.sms,
    createdAt: Date.parse('2026-01-01T10:00:00Z'),
    unread: 0,
    workflow: 'OPEN',
    said: ['Hello, wide world!', { text: 'CAFÉ au lait', url: 'https://here.example/', type: 'card' }],
    metadata: {
      tags: { [tags.urgent]: '', [tags.later]: '' },
      user_data: { vip: true, score: 7, city: 'Köln', list: ['p', 'q'] },
    },
  },
  b: {
    name: 'Annabel (Åsa) ÅNGSTRÖM',
    source: 'twilio.whatsapp',
    channel: channels.sms,
    createdAt: Date.parse('2026-01-02T00:00:00Z'),
    unread: 3,
    workflow: 'CLOSED',
    said: [{ blocks: [{ body: 'Good-bye world' }, { body: 'say "hello" NEAR me' }] }, 'wide', 'https://links.example/'],
    metadata: {
      tags: { [tags.urgent]: '', [tags.deleted]: '' },
      user_data: { vip: false, score: 12.5, city: 'Bonn', 'a.b': 'dot', 'q"\\': 'odd' },
    },
  },
  e: {
    name: '100% [real]_*?',
    source: 'shop',
    channel: channels.shop,
    createdAt: Date.parse('2026-02-01T00:00:00Z'),
    unread: 12,
    workflow: null,
    said: [],
    metadata: { tags: 'none', contact: { phone: '+49:30' }, user_data: { gone: null, score: '7', nested: { x: 'y' } } },
  },
} as const;

const folder = mkdtempSync(join(tmpdir(), 'filters-'));
const file = join(folder, 'parley.db');
let index: SearchIndex;

beforeAll(() => {
  const database = new Database(file);
  for (const migration of migrations) database.exec(migration);
  database.exec("INSERT INTO meta VALUES ('instance', 'test')");
  database.exec("INSERT INTO shard VALUES (0, 0, 0, '', 1000, 1, 1, 0, '{}', '')");
  // The state of the actors is of no interest here.
  const state = 'revision, seq, turns, last_turn, skip_turn, chain, machine_version, value, context, ';
  const stateValues = "0, 0, 0, 0, 0, '', 0, '', '', ";
  const channel = database.prepare(
    `INSERT INTO channel (${state} id, source, source_channel_id, connected, metadata, created_at)
     VALUES (${stateValues} ?, ?, ?, 1, '{}', 0)`,
  );
  for (const [source, id] of Object.entries(channels)) channel.run(uuidToBytes(id), source, source);
  const tag = database.prepare(
    `INSERT INTO tag (${state} id, name, color, created_at, deleted) VALUES (${stateValues} ?, '', 'tag-red', 0, ?)`,
  );
  for (const [name, id] of Object.entries(tags)) tag.run(uuidToBytes(id), name === 'deleted' ? 1 : 0);
  const conversation =
    database.prepare(`INSERT INTO conversation (${state} id, channel_id, source, source_conversation_id,
    created_at, display_name, metadata, unread_count, workflow, messages, last_message_at)
    VALUES (${stateValues} ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, 0)`);
  const message = database.prepare(
    `INSERT INTO message (id, conversation, turn, sent_at, from_contact, sender, content, metadata, state)
     VALUES (randomblob(16), ?, 0, 0, 1, '{}', ?, '{}', 'delivered')`,
  );
  for (const [key, row] of Object.entries(rows)) {
    const { lastInsertRowid } = conversation.run(
      uuidToBytes(uuidOf(key)),
      uuidToBytes(row.channel),
      row.source,
      key,
      row.createdAt,
      row.name,
      JSON.stringify(row.metadata),
      row.unread,
      row.workflow,
    );
    for (const content of row.said) message.run(lastInsertRowid, JSON.stringify(content));
  }
  database.close();
  index = new SearchIndex(openForReading(file));
  index.advance(() => true);
});
afterAll(() => {
  index.close();
  rmSync(folder, { recursive: true });
});

const keys = Object.keys(rows);

/** The keys of the rows that a filter leaves, as one text. @throws Failure `invalid_filter` */
export function found(filter: string): string {
  const clause = parseFilter(filter);
  if (clause === null) return keys.join('');
  const left = foundBy(index, clause);
  // Ordinals begin with 1, in the order of the keys.
  return keys.filter((_, n) => left.has(n + 1)).join('');
}

/** The problem that a filter is refused with; `none` when it is taken. Every other failure is thrown. */
export function problemOf(filter: string): string {
  try {
    found(filter);
  } catch (error) {
    if (error instanceof Failure && error.code === 'invalid_filter') return error.details?.[0]?.problem ?? '';
    throw error;
  }
  return 'none';
}

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll } from 'vitest';
import { Failure } from '#actors/errors.ts';
import { uuidToBytes } from '#actors/uuid.ts';
import { start } from '#actors/store/migrations/001-start.ts';
import { type Condition, conversationCondition } from '#actors/conversation/filter.ts';
import { parseFilter } from '#src/http/filters/grammar.ts';

export const uuidOf = (digit: string) =>
  `${digit.repeat(8)}-${digit.repeat(4)}-7${digit.repeat(3)}-8${digit.repeat(3)}-${digit.repeat(12)}`;
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
    metadata: { tags: { t1: 'x', 't-2': '' }, user_data: { vip: true, score: 7, city: 'Köln', list: ['p', 'q'] } },
  },
  b: {
    name: 'Annabel (Åsa) ÅNGSTRÖM',
    source: 'twilio.whatsapp',
    channel: channels.sms,
    createdAt: Date.parse('2026-01-02T00:00:00Z'),
    unread: 3,
    workflow: 'CLOSED',
    metadata: { tags: { t1: 'x' }, user_data: { vip: false, score: 12.5, city: 'Bonn', 'a.b': 'dot', 'q"\\': 'odd' } },
  },
  e: {
    name: '100% [real]_*?',
    source: 'shop',
    channel: channels.shop,
    createdAt: Date.parse('2026-02-01T00:00:00Z'),
    unread: 12,
    workflow: null,
    metadata: { tags: 'none', contact: { phone: '+49:30' }, user_data: { gone: null, score: '7', nested: { x: 'y' } } },
  },
} as const;

const folder = mkdtempSync(join(tmpdir(), 'filters-'));
const database = new Database(join(folder, 'parley.db'));

beforeAll(() => {
  database.exec(start);
  // The state of the actors is of no interest here.
  const state = 'revision, seq, turns, last_turn, skip_turn, chain, machine_version, value, context, ';
  const stateValues = "0, 0, 0, 0, 0, '', 0, '', '', ";
  const channel = database.prepare(
    `INSERT INTO channel (${state} id, source, source_channel_id, connected, metadata, created_at)
     VALUES (${stateValues} ?, ?, ?, 1, '{}', 0)`,
  );
  for (const [source, id] of Object.entries(channels)) channel.run(uuidToBytes(id), source, source);
  const conversation =
    database.prepare(`INSERT INTO conversation (${state} id, channel_id, source, source_conversation_id,
    created_at, display_name, metadata, unread_count, workflow, messages, last_message_at)
    VALUES (${stateValues} ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, 0)`);
  for (const [key, row] of Object.entries(rows)) {
    conversation.run(
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
  }
});
afterAll(() => {
  database.close();
  rmSync(folder, { recursive: true });
});

/** What a filter asks of conversations. @throws Failure `invalid_filter` */
export function conditionOf(filter: string): Condition {
  const clause = parseFilter(filter);
  return clause === null ? { where: '1', parameters: [] } : conversationCondition(clause);
}

/** The keys of the rows that a filter leaves, as one text. */
export function found(filter: string): string {
  const { where, parameters } = conditionOf(filter);
  const query = `SELECT c.source_conversation_id AS key FROM conversation c JOIN channel ch ON ch.id = c.channel_id
    WHERE ${where} ORDER BY key`;
  return (database.prepare(query).all(...parameters) as { key: string }[]).map(({ key }) => key).join('');
}

/** The problem that a filter is refused with; `none` when it is taken. Every other failure is thrown. */
export function problemOf(filter: string): string {
  try {
    conditionOf(filter);
  } catch (error) {
    if (error instanceof Failure && error.code === 'invalid_filter') return error.details?.[0]?.problem ?? '';
    throw error;
  }
  return 'none';
}

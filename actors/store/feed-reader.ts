import { hash } from 'node:crypto';
import type { EventJson, EventType, JsonObject } from '../representation.ts';
import { Failure } from '../errors.ts';
import { uuidFromBytes, uuidToBytes } from '../uuid.ts';
import type { Connection, Statement } from './database.ts';
import type { FeedEntry, FeedPosition, FeedQuery, FeedReader } from './feed.ts';
import { keysPerShard } from './tables.ts';

interface FeedRow {
  key: number;
  seq: number;
  type: string;
  timestamp: number;
  payload: string;
  kind: string;
  id: Uint8Array;
}

const columns = 'f.key, f.seq, f.type, f.timestamp, f.payload, a.kind, a.id';
const checksumLength = 8;

/** The feed of all shards. A position is one number for each shard: where reading stands in it. */
export function feedReader(db: Connection, shards: number): FeedReader {
  const select = `SELECT ${columns} FROM feed f JOIN actor a ON a.key = f.subject
    WHERE f.key > ? AND f.key < ? AND (? IS NULL OR instr(?, ',' || f.type || ',') > 0)`;
  const inShard = db.prepare(`${select} ORDER BY f.key LIMIT ?`);
  const inConversation = db.prepare(`${select} AND a.id = ? AND a.kind = 'conversation' ORDER BY f.seq LIMIT ?`);
  // Not the newest row's key: retention may have taken every row.
  const next = db.prepare('SELECT next_position FROM shard WHERE shard = ?').pluck();
  const endOf = (shard: number): number => ((next.get(shard) as number | undefined) ?? 1) - 1;

  return {
    read: (query) => readShards(query, shards, query.conversationId === undefined ? inShard : inConversation, endOf),
    end: () => Array.from({ length: shards }, (_, shard) => endOf(shard)),
    encodeCursor,
    decodeCursor: (cursor) => decodeCursor(cursor, shards),
  };
}

/** Shard after shard: events of one subject are in one shard, so their order holds. */
function readShards(
  query: FeedQuery,
  shards: number,
  statement: Statement,
  endOf: (shard: number) => number,
): FeedEntry[] {
  const entries: FeedEntry[] = [];
  let position: FeedPosition = Array.from({ length: shards }, (_, shard) => query.after[shard] ?? 0);
  // Sorted out by SQLite: a type that is rare would otherwise bring every event of the feed into this process.
  const types = query.types === undefined ? null : `,${query.types.join(',')},`;
  const subject = query.conversationId === undefined ? [] : [uuidToBytes(query.conversationId)];
  for (let shard = 0; shard < shards && entries.length < query.limit; shard++) {
    const base = shard * keysPerShard;
    const from = base + position[shard]!;
    const wanted = query.limit - entries.length;
    // Asked first: what is committed after it is not counted as seen.
    const end = endOf(shard);
    const rows = statement.all(from, base + keysPerShard, types, types, ...subject, wanted) as FeedRow[];
    for (const row of rows) {
      position = position.with(shard, row.key - base);
      entries.push(toEntry(row, position));
    }
    if (rows.length < wanted && end > position[shard]!) position = position.with(shard, end);
  }
  return entries;
}

function toEntry(row: FeedRow, position: FeedPosition): FeedEntry {
  const event: EventJson = {
    type: row.type as EventType,
    payload: JSON.parse(row.payload) as JsonObject,
    timestamp: row.timestamp,
    seq: row.seq,
    cursor: encodeCursor(position),
  };
  return { event, position, conversationId: row.kind === 'conversation' ? uuidFromBytes(row.id) : null };
}

const checksum = (text: string): string => hash('sha256', `parley feed ${text}`).slice(0, checksumLength);

/** Opaque text of a position. */
export function encodeCursor(position: FeedPosition): string {
  const text = position.join('.');
  return Buffer.from(`${text}~${checksum(text)}`).toString('base64url');
}

function decodeCursor(cursor: string, shards: number): FeedPosition {
  const [text = '', sum = ''] = Buffer.from(cursor, 'base64url').toString('latin1').split('~');
  const position = text.split('.').map(Number);
  if (sum !== checksum(text) || position.length !== shards || !position.every(Number.isSafeInteger)) {
    throw new Failure('invalid_cursor', 'The cursor is not one that this hub has given. Use one from an event.');
  }
  return position;
}

import { verifyFile } from '#actors/journal/verify.ts';
import { kinds } from '#actors/kinds.ts';
import type { EventJson, MessageJson } from '#actors/representation.ts';
import { openForReading } from '#actors/store/database.ts';
import type { HubProcess } from '../../_support/hub-process.ts';

/** What the writers were told, kept outside the hub. */
export class Ledger {
  /** Acknowledged ingests: the source's message id → the hub's ids. */
  readonly ingested = new Map<string, { id: string; conversation: string }>();
  /** Acknowledged sends: message id → text. */
  readonly sent = new Map<string, string>();
  /** Ids under which one request was acknowledged with different answers. */
  readonly contradictions: string[] = [];
  /** Bodies that the action endpoint received: message id → how often. */
  readonly received = new Map<string, number>();
  tries = 0;

  ingest(sourceMessageId: string, answer: { id: string; conversation: string }): void {
    const before = this.ingested.get(sourceMessageId);
    if (before !== undefined && before.id !== answer.id) this.contradictions.push(sourceMessageId);
    this.ingested.set(sourceMessageId, answer);
  }

  receive(messageId: string): void {
    this.received.set(messageId, (this.received.get(messageId) ?? 0) + 1);
  }
}

/** What the comparison of the ledger with the hub found. Every list empty: nothing was lost, doubled or out of order. */
export interface LedgerReport {
  lost: string[];
  doubled: string[];
  gaps: string[];
  undelivered: string[];
  /** Sends that ended failed: their call was cut by a kill five times, and each try shows. An end, so not a loss. */
  failed: string[];
  contradictions: string[];
  problems: string[];
  conversations: number;
  messages: number;
  events: number;
}

interface Page<T> {
  data: T[];
  pagination_data: { next_cursor: string | null };
}

async function everyPage<T>(hub: HubProcess, path: string, body: object): Promise<T[]> {
  const all: T[] = [];
  let cursor: string | null = null;
  do {
    const answer: { body: Page<T> } = await hub.post<Page<T>>(path, { ...body, page_size: 1000, cursor });
    all.push(...answer.body.data);
    cursor = answer.body.pagination_data.next_cursor;
  } while (cursor !== null);
  return all;
}

async function everyEvent(hub: HubProcess): Promise<EventJson[]> {
  const all: EventJson[] = [];
  let after: string | null = null;
  for (;;) {
    const { body }: { body: { data: EventJson[]; next_cursor: string | null } } = await hub.post('/events.list', {
      ...(after !== null && { after }),
      page_size: 1000,
    });
    all.push(...body.data);
    if (body.data.length === 0 || body.next_cursor === null) return all;
    after = body.next_cursor;
  }
}

/** Asks the running hub through its API for everything it has, and compares. */
export async function compare(hub: HubProcess, ledger: Ledger): Promise<LedgerReport> {
  const conversations = await everyPage<{ id: string }>(hub, '/conversations.list', {});
  const stored = new Map<string, MessageJson>();
  const doubled: string[] = [];
  for (const { id } of conversations) {
    for (const message of await everyPage<MessageJson>(hub, '/messages.list', { conversation_id: id })) {
      if (stored.has(message.id)) doubled.push(message.id);
      stored.set(message.id, message);
    }
  }
  const events = await everyEvent(hub);
  const created = new Map<string, number>();
  const gaps: string[] = [];
  const seqs = new Map<string, number>();
  for (const { type, payload, seq } of events) {
    const subject = String(payload.conversation_id ?? (type === 'conversation.updated' ? payload.id : ''));
    if (type === 'message.created') {
      const { id } = payload.message as { id: string };
      created.set(id, (created.get(id) ?? 0) + 1);
    }
    if (subject === '') continue;
    // metadata.updated names its subject another way: a step of more than one is checked in the file.
    const before = seqs.get(subject) ?? 0;
    if (seq <= before) gaps.push(`${subject} ${before} -> ${seq}`);
    seqs.set(subject, seq);
  }
  for (const [id, times] of created) if (times !== 1) doubled.push(`event of ${id}`);
  const acknowledged = [...[...ledger.ingested.values()].map(({ id }) => id), ...ledger.sent.keys()];
  return {
    lost: acknowledged.filter((id) => !stored.has(id) || !created.has(id)),
    doubled,
    gaps,
    undelivered: [...ledger.sent.keys()].filter((id) => stored.get(id)?.state === 'pending'),
    failed: [...ledger.sent.keys()].filter((id) => stored.get(id)?.state === 'failed'),
    contradictions: ledger.contradictions,
    problems: [],
    conversations: conversations.length,
    messages: stored.size,
    events: events.length,
  };
}

/** Checks the file of a hub that has stopped: folds, numbers, uniqueness. */
export function checkFile(file: string): { problems: string[]; steps: number } {
  const { problems, steps } = verifyFile(file, kinds);
  const db = openForReading(file);
  const deadLetters = db.prepare('SELECT count(*) FROM dead_letter').pluck().get() as number;
  const repeated = db
    .prepare(
      `SELECT count(*) FROM (SELECT 1 FROM message WHERE source_message_id IS NOT NULL
       GROUP BY conversation, source_message_id HAVING count(*) > 1)`,
    )
    .pluck()
    .get() as number;
  db.close();
  return {
    problems: [
      ...problems,
      ...(deadLetters > 0 ? [`${deadLetters} dead letters`] : []),
      ...(repeated > 0 ? [`${repeated} messages share (conversation, source_message_id)`] : []),
    ],
    steps,
  };
}

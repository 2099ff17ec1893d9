import { expect } from 'vitest';
import type { JsonObject } from '#actors/representation.ts';
import type { CommandSender } from '#actors/commands.ts';
import { conversationDefinition } from '#actors/conversation/commands.ts';
import { actorDefinitions } from '#actors/definitions.ts';
import { verifyFile } from '#actors/history/verify.ts';
import type { ChangeRecord, ShardLog } from '#actors/log/shard-log.ts';
import type { ActorDefinitions } from '#actors/runtime/command-handling.ts';
import type { CommandHandler } from '#actors/runtime/definition.ts';
import { type ActorKind, decode, encode, type Envelope, type Reply } from '#actors/runtime/envelope.ts';
import { Failure, type FailureCode } from '#actors/errors.ts';
import { shardOf } from '#actors/runtime/shard.ts';
import type { ConversationMemory } from '#actors/conversation/memory.ts';
import { openForReading } from '#actors/store/database.ts';
import { keyColumn, type TableName } from '#actors/store/tables.ts';
import { workSubject } from '#src/nats/subjects.ts';
import { SystemIds } from '#src/runtime/system.ts';
import { type ActorSystem, conversationOf, testChannel, testSource } from '../_support/actor-system.ts';

const ids = new SystemIds();
export const uuid = (): string => ids.uuid();

/** An envelope as a sender makes it; `more` replaces parts. */
export function envelopeFor(
  system: ActorSystem,
  kind: ActorKind,
  id: string,
  type: string,
  body: unknown,
  more: Partial<Envelope> = {},
): Envelope {
  const now = system.clock.now();
  return { commandId: uuid(), actor: { kind, id }, type, body, now, deadline: now + 10_000, cause: 'test', ...more };
}

/** Sends an envelope as it is, once. */
export async function request(system: ActorSystem, envelope: Envelope): Promise<Reply> {
  const subject = workSubject(shardOf(envelope.actor.id, system.shards), envelope.actor);
  return decode<Reply>(await system.bus.request(subject, encode(envelope), 5_000));
}

/** Keeps the records it is given. */
export class RecordingLog implements ShardLog {
  readonly records: ChangeRecord[] = [];

  append(record: ChangeRecord): void {
    this.records.push(structuredClone(record));
  }

  /** Commands that each record answered. */
  sizes(): number[] {
    return this.records.map(({ changes }) => changes.filter(({ table }) => table === 'inbox').length);
  }
}

export const tableNames = [
  'shard',
  'actor',
  'history',
  'timer',
  'inbox',
  'outbox',
  'dead_letter',
  'feed',
  'source',
  'parked_metadata',
  'channel',
  'conversation',
  'message',
  'parked_send',
  'idempotency_key',
  'webhook_subscription',
  'webhook_delivery',
  'webhook_attempt',
] as const satisfies readonly TableName[];

/** Every row of a file, table by table. */
export function rowsOf(file: string): Record<TableName, Record<string, unknown>[]> {
  const db = openForReading(file);
  try {
    const rows = tableNames.map((table) => [
      table,
      db.prepare(`SELECT * FROM ${table} ORDER BY ${keyColumn(table)}`).all(),
    ]);
    return Object.fromEntries(rows);
  } finally {
    db.close();
  }
}

/** The kinds of the hub, with more commands for conversations. */
export function withHandlers(
  handlers: Record<string, CommandHandler<ConversationMemory, never, unknown>>,
  more: Partial<ActorDefinitions['conversation']> = {},
): ActorDefinitions {
  const all = { ...conversationDefinition.handlers, ...handlers } as ActorDefinitions['conversation']['handlers'];
  return { ...actorDefinitions, conversation: { ...conversationDefinition, ...more, handlers: all } };
}

export const originOf = (contact: string) => ({
  channelId: testChannel,
  source: testSource,
  sourceConversationId: contact,
});

/** Sends a message of ours; the id it got. */
export async function sendText(commands: CommandSender, contact: string, text: string, start = false): Promise<string> {
  const messageId = uuid();
  await commands.send('conversation', conversationOf(contact), 'message.send', {
    messageId,
    content: { text },
    sender: { id: 'test:agent' },
    ...(start && { origin: originOf(contact) }),
  });
  return messageId;
}

/** Every event of the feed: type, seq and payload. */
export function eventsOf(system: ActorSystem): { type: string; seq: number; payload: JsonObject }[] {
  const reader = system.reader();
  try {
    const entries = reader.feed.read({ after: [], limit: 100_000 });
    return entries.map(({ event: { type, seq, payload } }) => ({ type, seq, payload }));
  } finally {
    reader.close();
  }
}

/** The code of the failure that a command ends with. */
export async function failureOf(work: Promise<unknown>): Promise<FailureCode> {
  const error = await work.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof Failure)) throw new Error(`Not a failure: ${String(error)}`);
  return error.code;
}

/** The file's own invariants hold. */
export function expectSound(system: ActorSystem): void {
  expect(verifyFile(system.file).problems).toEqual([]);
}

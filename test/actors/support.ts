import { expect } from 'vitest';
import type { JsonObject } from '#actors/representation.ts';
import type { CommandSender } from '#actors/commands.ts';
import { type Step, type TurnEvent, unpackEvents, unpackSteps } from '#actors/journal/turn.ts';
import { verifyFile } from '#actors/journal/verify.ts';
import { kinds } from '#actors/kinds.ts';
import type { ChangeRecord, ShardLog } from '#actors/log/shard-log.ts';
import type { ConversationRuntime } from '#actors/conversation/memory.ts';
import { decode, encode, type Envelope, type Reply } from '#actors/runtime/envelope.ts';
import type { AnyKind } from '#actors/runtime/kind.ts';
import { Failure, type FailureCode } from '#actors/errors.ts';
import { shardOf } from '#actors/runtime/shard.ts';
import { openForReading } from '#actors/store/database.ts';
import { journal, type JournalRow } from '#actors/store/tables.ts';
import { workSubject } from '#src/nats/subjects.ts';
import { SystemIds } from '#src/runtime/system.ts';
import { type ActorSystem, conversationOf, testChannel, testSource } from '../_support/actor-system.ts';
import { sealKeys } from '../_support/config.ts';

const ids = new SystemIds();
export const uuid = (): string => ids.uuid();

/** Where envelopes are made and sent. */
type Place = Pick<ActorSystem, 'bus' | 'clock' | 'shards'>;

/** An envelope as a sender makes it; `more` replaces parts. */
export function envelopeFor(
  { clock }: Pick<Place, 'clock'>,
  kind: string,
  id: string,
  type: string,
  body: unknown,
  more: Partial<Envelope> = {},
): Envelope {
  const now = clock.now();
  return { commandId: uuid(), actor: { kind, id }, type, body, now, deadline: now + 10_000, cause: 'test', ...more };
}

/** Sends an envelope as it is, once. */
export async function request({ bus, shards }: Place, envelope: Envelope): Promise<Reply> {
  const subject = workSubject(shardOf(envelope.actor.id, shards), envelope.actor);
  return decode<Reply>(await bus.request(subject, encode(envelope), 5_000));
}

/** Keeps the records it is given. */
export class RecordingLog implements ShardLog {
  readonly replicated = false;
  readonly records: ChangeRecord[] = [];

  tail(): Promise<ChangeRecord[]> {
    return Promise.resolve([]);
  }

  append(record: ChangeRecord): void {
    this.records.push(structuredClone(record));
  }

  /** Turns that each record has. */
  sizes(): number[] {
    return this.records.map(({ changes }) => changes.filter((change) => journal.is(change)).length);
  }
}

export const tableNames = [
  ...(['shard', 'journal', 'base', 'mark', 'timer', 'outbox', 'dead_letter'] as const),
  ...(['source', 'parked_metadata', 'channel', 'conversation', 'message', 'parked_send', 'parked_echo'] as const),
  ...(['contact', 'contact_version', 'contact_conversation', 'contact_merge'] as const),
  ...(['contact_import', 'contact_import_part'] as const),
  ...(['tag', 'tagged_conversation', 'template'] as const),
  ...(['idempotency_key', 'webhook_subscription', 'webhook_delivery', 'webhook_attempt'] as const),
  ...(['api_key', 'user', 'user_session', 'component', 'media', 'message_media', 'former_echo'] as const),
];

type Stored = Record<string, unknown>;

/** Every row of a file, table by table. */
export function rowsOf(file: string): Record<(typeof tableNames)[number], Stored[]> {
  const db = openForReading(file);
  try {
    const present = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name <> 'meta'").pluck().all();
    expect([...present].sort()).toEqual([...tableNames].sort());
    const rows = tableNames.map((table) => [table, db.prepare(`SELECT * FROM ${table} ORDER BY 1`).all()]);
    return Object.fromEntries(rows) as Record<(typeof tableNames)[number], Stored[]>;
  } finally {
    db.close();
  }
}

/** A turn, unpacked. */
export interface Turn extends Omit<JournalRow, 'steps' | 'events'> {
  steps: Step[];
  events: TurnEvent[];
}

/** Every turn of a file, in order. */
export function turnsOf(file: string): Turn[] {
  const db = openForReading(file);
  try {
    const rows = journal.query(db, 'ORDER BY key').all();
    return rows.map((row) => ({ ...row, steps: unpackSteps(row.steps), events: unpackEvents(row.events) }));
  } finally {
    db.close();
  }
}

/** Every step of a file, in order, with its turn and the key of the row whose machine it is. */
export const stepsOf = (file: string): (Step & { turn: Turn })[] =>
  turnsOf(file).flatMap((turn) =>
    turn.steps.map((step) => ({ ...step, subject: step.subject === 0 ? turn.actor : step.subject, turn })),
  );

/** The kinds of the hub, with more commands for conversations. */
export function withHandlers(
  handlers: Record<string, (runtime: ConversationRuntime, body: never) => unknown>,
  more: Partial<AnyKind> = {},
): AnyKind[] {
  return kinds.map((kind) =>
    kind.name === 'conversation' ? { ...kind, ...more, handlers: { ...kind.handlers, ...handlers } as never } : kind,
  );
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
    const entries = reader.feed.read({ after: [], limit: 100_000 }).entries;
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

/** Lets time pass in steps of `step` ms at most, with a round of retention after each. */
export async function elapse(system: ActorSystem, ms: number, step: number): Promise<void> {
  for (let left = ms; left > 0; left -= step) {
    system.clock.advance(Math.min(left, step));
    await system.settle();
  }
}

/** The file's own invariants hold. */
export function expectSound(system: ActorSystem): void {
  expect(verifyFile(system.file, kinds, sealKeys.sealKey).problems).toEqual([]);
}

import { hash } from 'node:crypto';
import type { MachineId } from '#machines/registry.ts';
import { parseJson } from '../json.ts';
import type { EventSubject, EventType, Json } from '../representation.ts';
import type { JournalRow, ShardRow } from '../store/tables.ts';

/** One step of a machine inside a turn. */
export interface Step {
  machine: MachineId;
  /** Key of the row whose machine it is; 0: the actor's own. */
  subject: number;
  /** Number of the step in its subject, from 1. */
  revision: number;
  /** Version of the machine that took it. */
  version: number;
  event: { type: string };
  /** The value after it; null: as before. */
  value: unknown;
  /** Hash of the value and context after it. */
  hash: string;
}

/**
 * One event that a turn tells the world. `data` is the payload, or what the kind's renderer makes the payload of: then
 * it refers to rows by their keys and carries what can change later.
 */
export interface TurnEvent {
  type: EventType;
  /** Gapless from 1 within the actor. */
  seq: number;
  data: Json;
}

/** Makes the payload of an event, as JSON text, from what its turn kept of it. `id` and `key`: the actor's. */
export type EventRenderer = (data: Json, actor: { key: number; id: string }) => string;

/** The same for every kind: the payload, and the actor that the event is about. */
export type Renderer = (kind: string, actor: number, event: TurnEvent) => { payload: string; subject: EventSubject };

/** Every so many turns of an actor one carries a pointer back to the one so many before. */
export const turnsPerSkip = 64;

/** A step that a migration of the machine took: what follows starts from the state that it carries. */
export const migrated = 'machine.migrated';

type PackedStep = [MachineId, number, number, number, Step['event'], unknown, string];
type PackedEvent = [EventType, number, Json];

/** Rows are many: arrays without names take half the bytes. Null for none. */
export const packSteps = (steps: readonly Step[]): string | null =>
  steps.length === 0
    ? null
    : JSON.stringify(
        steps.map(({ machine, subject, revision, version, event, value, hash }): PackedStep => {
          return [machine, subject, revision, version, event, value, hash];
        }),
      );

export function unpackSteps(text: string | null): Step[] {
  if (text === null) return [];
  return (parseJson(text) as PackedStep[]).map(([machine, subject, revision, version, event, value, hash]) => {
    return { machine, subject, revision, version, event, value, hash };
  });
}

export const packEvents = (events: readonly TurnEvent[]): string | null =>
  events.length === 0 ? null : JSON.stringify(events.map(({ type, seq, data }): PackedEvent => [type, seq, data]));

export function unpackEvents(text: string | null): TurnEvent[] {
  if (text === null) return [];
  return (parseJson(text) as PackedEvent[]).map(([type, seq, data]) => ({ type, seq, data }));
}

/** What something made of a row: the digest of the row before and after it. */
export interface RowChange {
  table: string;
  key: number;
  /** Null: there is no such row any more. */
  after: string | null;
  /** Null: there was none. */
  before: string | null;
}

/** What a turn made of rows. */
export interface TurnRows {
  /** Digest of the actor's own row after it; null for a turn in nobody's chain. */
  own: string | null;
  others: RowChange[];
}

/** Stands where a row is gone: no digest is as short. */
const gone = '-';

/** `<own>;<table> <key> <after> <before>;…`, without `before` for a new row: digests and names hold no separators. */
export function packRows({ own, others }: TurnRows): string {
  let text = own ?? '';
  for (const { table, key, before, after } of others) {
    text += `;${table} ${key} ${after ?? gone}`;
    if (before !== null) text += ` ${before}`;
  }
  return text;
}

export function unpackRows(text: string | null): TurnRows {
  const [own, ...others] = (text ?? '').split(';');
  return {
    own: own || null,
    others: others.map((packed) => {
      const [table = '', key, after = gone, before = null] = packed.split(' ');
      return { table, key: Number(key), before, after: after === gone ? null : after };
    }),
  };
}

const digestLength = 22;

/** 132 bits of SHA-256: enough that no other text can be found for it. */
export const digest = (text: string): string => hash('sha256', text, 'base64url').slice(0, digestLength);

/** The hash of a stored state, kept with each step: a fold of the steps can be compared with it. */
export const stateHash = (value: string, context: string): string =>
  hash('sha256', `[${value},${context}]`).slice(0, 16);

/** Separates values: it stands in no number and in no JSON text. */
const separator = '\u0000';

/** The hash of a turn: over the one before it in its actor's chain, and every column. */
export const turnHash = (chain: string, turn: Omit<JournalRow, 'hash'>): string =>
  digest(
    [
      chain,
      turn.key,
      turn.kind,
      turn.actor,
      turn.previous,
      turn.skip,
      turn.at,
      turn.type,
      turn.cause,
      turn.command,
      turn.steps,
      turn.events,
      turn.answer,
      turn.rows,
    ].join(separator),
  );

/** Over a shard's row: nothing else of the file says what most of its columns hold. */
export const shardDigest = (row: Omit<ShardRow, 'digest'>): string =>
  digest(
    [row.shard, row.lsn, row.epoch, row.hash, row.next_key, row.next_position, row.horizon, row.time, row.sums].join(
      separator,
    ),
  );

/** Positions that a turn takes in the feed. */
export const positionsOf = (events: number): number => Math.max(1, events);

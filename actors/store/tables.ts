import { Table } from './table.ts';

/** The tables that the runtime itself keeps; those of the kinds stand in the kinds' folders. */

/** Where a shard's log stands, and what of its journal is kept. */
export interface ShardRow {
  shard: number;
  lsn: number;
  epoch: number;
  /** Hash of the last change record. */
  hash: string;
  next_key: number;
  /** The position that the next turn gets. */
  next_position: number;
  /** The oldest position that is kept. */
  horizon: number;
  /** The shard's own time, in ms; 0: none is counted yet. */
  time: number;
  /** For each table, the sum of the digests of rows as what is not, or no longer, in the journal has left them: JSON. */
  sums: string;
  /** Over every other column. */
  digest: string;
}

/** One turn: one handled command of one actor. */
export interface JournalRow {
  /** `shard * 2^40 + position`. A turn takes as many positions as it has events, at least one. */
  key: number;
  kind: string;
  /** The actor's key; 0 for a refused command, which belongs to nobody's chain. */
  actor: number;
  /** Key of the actor's turn before this one, 0 for its first. */
  previous: number;
  /** In each 64th turn of an actor: the key of the turn 64 before, so that a long walk back is short. */
  skip: number | null;
  at: number;
  type: string;
  cause: string;
  command: string;
  steps: string | null;
  events: string | null;
  /** Only where a repetition could not be recognised from the actor's own data. */
  answer: string | null;
  /** Digests of the rows that it has written; null: none. */
  rows: string | null;
  /** Over the hash of the turn before and every column of this one. */
  hash: string;
}

export interface TimerRow {
  key: number;
  due: number;
  kind: string;
  actor: number;
  subject: number;
  name: string;
}

/** An effect that is to be done. `lane`: effects of one lane are done one at a time, in the order of their keys. */
export interface OutboxRow {
  key: number;
  id: string;
  kind: string;
  lane: number;
  subject: number;
  /** 0: held back by its actor. */
  ready: number;
  /** JSON of what the effect carries itself; null where the subject's row says everything. */
  body: string | null;
  at: number;
}

export interface DeadLetterRow {
  key: number;
  command_id: string;
  actor_kind: string;
  actor_id: string;
  actor_revision: number;
  /** May carry secrets. */
  envelope: string;
  error: string;
  at: number;
  redriven_at: number | null;
  /** The answer that a repetition of the command gets: of the defect, or of the redrive that mended it. */
  answer: string;
}

/** The state of a subject (an actor, or a row with a machine) right before the oldest turn of it that is kept. */
export interface BaseRow {
  key: number;
  actor: number;
  revision: number;
  machine_version: number;
  value: string;
  context: string;
  /** Of an actor: the hash of its last pruned turn, and how many turns and events were pruned. */
  chain: string | null;
  turns: number | null;
  seq: number | null;
  /** Of an actor: the digest of its row after its last pruned turn. */
  row: string | null;
}

/**
 * A moment of a shard's own time: what has a lower key or position is older. Retention counts with these, never with
 * the times in rows, which come from a wall clock that may jump.
 */
export interface MarkRow {
  key: number;
  /** Milliseconds of the shard's own time. */
  at: number;
  next_key: number;
  next_position: number;
}

/** The columns that every kind's own table has beside its domain's: the state of the actor. */
export interface ActorRow {
  key: number;
  id: string;
  /** Steps taken by the actor's own machine. */
  revision: number;
  /** Number of its last event. */
  seq: number;
  /** Turns taken. */
  turns: number;
  last_turn: number;
  /** Its last turn with a `skip`. */
  skip_turn: number;
  /** Hash of its last turn. */
  chain: string;
  machine_version: number;
  value: string;
  context: string;
}

export const journal = new Table<JournalRow>('journal', ['command']);
export const timers = new Table<TimerRow>('timer');
export const outbox = new Table<OutboxRow>('outbox', ['id']);
export const deadLetters = new Table<DeadLetterRow>('dead_letter', ['command_id', 'actor_id'], ['envelope']);
export const bases = new Table<BaseRow>('base');
export const marks = new Table<MarkRow>('mark');

export const runtimeTables = [journal, timers, outbox, deadLetters, bases, marks] as const;

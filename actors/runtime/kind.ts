import type { EventOf, MachineId, StoredState } from '#machines/registry.ts';
import type { StepResult } from '#machines/step.ts';
import type { EventRenderer, Renderer } from '../journal/turn.ts';
import type { EventType, Json } from '../representation.ts';
import type { Connection } from '../store/database.ts';
import type { Change, Table, TableShape } from '../store/table.ts';
import type { ActorRow, OutboxRow } from '../store/tables.ts';
import type { Envelope } from './envelope.ts';
import type { Redaction } from './erased-turns.ts';
import type { Growing } from './signal.ts';

/** The commands of a kind: type → body and result. */
export type CommandTable = { [type: string]: { body: unknown; result: unknown } };

/** Who a command is for. `Commands` is what may be told to it. `id` is a lower-case UUID. */
export interface Address<Commands = unknown> {
  kind: string;
  id: string;
  /** Only a type. */
  readonly commands?: Commands;
}

/** The stored state of a machine that an actor owns besides its own, with the number of its last step. */
export interface OwnedState extends StoredState {
  revision: number;
}

/** The columns of a kind's own table that are the domain's. */
export type Columns<Row extends ActorRow> = Omit<Row, keyof ActorRow>;

/**
 * What a command handler receives. Nothing it does is visible before the commit; a handler that throws has done
 * nothing. `memory` is what the kind's `load` returned: a handler may change it in place.
 */
export interface Runtime<Row extends ActorRow = ActorRow, Memory = unknown, Reads = unknown, Id = unknown> {
  readonly actor: { readonly key: number; readonly id: string; readonly isNew: boolean };
  /** Epoch ms at which the command was made. */
  readonly now: number;
  readonly commandId: string;
  /** The key that this turn has in the journal. */
  readonly turn: number;
  readonly reads: Reads;
  /** The actor's own row, with what this turn has saved. */
  readonly row: Readonly<Row>;
  memory: Memory;
  /** The value of the actor's own machine. */
  readonly value: unknown;
  /** A new key of this shard, in arrival order. */
  nextKey(): number;
  /** Changes domain columns of the actor's own row. */
  save(columns: Partial<Columns<Row>>): void;
  /** Steps the actor's own machine. */
  step(event: Id extends MachineId ? EventOf<Id> : never): StepResult<Id extends MachineId ? Id : never>;
  /** Steps a machine of `subject` (a row's key) that this actor owns; `owned` null starts it. The caller stores the result. */
  stepOwned<M extends MachineId>(
    machine: M,
    subject: number,
    owned: OwnedState | null,
    event: EventOf<M> | null,
  ): { result: StepResult<M>; owned: OwnedState };
  change(change: Change): void;
  /** Tells the world. `data` is the payload, or what the kind's renderer of the type makes it of. */
  emit(type: EventType, data: Json): void;
  /** Tells who waits for it that something grew which is neither feed nor outbox. */
  signal(what: Growing): void;
  /**
   * Asks another actor for something, after the commit and certainly: an effect that is done until it has an answer.
   * A refusal ends it like any other answer.
   */
  tell<C extends CommandTable, T extends keyof C & string>(to: Address<C>, type: T, body: C[T]['body']): void;
  /**
   * Takes out what kept turns of this actor told and answered, a part of them at a time, from `from` on backwards (absent:
   * from the newest). Readers that have seen it are told to forget it.
   * @returns where to go on; null: all are done
   */
  eraseTurns(redaction: Redaction, from?: number): number | null;
  /**
   * Takes out what commands carried that this actor could not handle, all of them or those that `names` chooses: nobody
   * has them done again.
   */
  eraseLetters(names?: (letter: Envelope) => boolean): void;
  /** The effect of a kind that a row of this actor has in the outbox. */
  effectOf(subject: number, kind: string): OutboxRow | null;
}

/** Handles the commands of a kind. A return value is the reply's result. @throws Failure an expected refusal */
export type Handlers<R, Commands> = {
  [T in keyof Commands]: Commands[T] extends { body: infer Body; result: infer Result }
    ? (runtime: R, body: Body) => Result
    : never;
};

/** How a repetition of a command is recognised from the kind's own data: the result that it had, null for a new one. */
export type Recognition<Reads, Body, Result> = (
  reads: Reads,
  actor: { key: number; id: string },
  body: Body,
  commandId: string,
) => Result | null;

/** What readers are made of beside the connection. */
export interface ReaderParts {
  shards: number;
  /** Milliseconds that go on evenly: for reads that end after some time. */
  clock: () => number;
  /** Names the file, and with it every cursor into its feed. */
  instance: string;
  /** Makes payloads of what turns kept. */
  render: Renderer;
}

/** A machine that rows of a kind have, besides the actor's own. */
export interface OwnedMachine {
  machine: MachineId;
  table: TableShape;
  /** The column with the `OwnedState` as JSON; null: no machine yet. */
  column: string;
}

/** Rows of a kind that are no longer needed once they are older than a policy keeps them. */
export interface PruningRule {
  /** Which of the policy's periods it follows. */
  period: string;
  /** The command that has an actor prune itself: its body is `{ before }`, a key. Its result says whether there is more. */
  command: string;
  /** Ids of actors of a shard that have something to prune, at most a few. `before`: a key; older rows have lower ones. */
  actors(db: Connection): (shard: number, before: number) => string[];
}

/** An actor that follows the feed, and the position in a shard that it is at. */
export interface Lagging {
  id: string;
  at: number;
}

/** What an actor that lags behind is told: positions of the shard below `before` are about to be forgotten. */
export interface PassedPositions {
  shard: number;
  before: number;
}

/** Actors of a kind follow the feed with a stored cursor: none is passed by retention without being told. */
export interface FollowingRule {
  /** The command, with a `PassedPositions` as body, that has an actor go on, at least a part of the way. */
  command: string;
  /** Actors that have not read all positions of a shard below one. */
  lagging(db: Connection): (shard: number, before: number) => Lagging[];
}

/** What the rows of a kind say against each other, in sentences: what its runtime can not know. */
export interface Contradictions {
  rows(): Iterable<string>;
}

/** A kind of actor: one folder, one declaration. */
export interface Kind<
  Commands = unknown,
  Row extends ActorRow = ActorRow,
  Memory = unknown,
  Reads = unknown,
  Id extends MachineId | null = MachineId | null,
  Readers = unknown,
> {
  /** Its name in addresses, subjects and the journal. */
  name: string;
  /** Null: the kind has no states of its own. */
  machine: Id;
  /** The table with one row for each of its actors. */
  table: Table<Row>;
  /** Other tables whose rows its actors own. */
  tables?: readonly TableShape[];
  owned?: readonly OwnedMachine[];
  /** Domain columns of an actor that has had no turn yet. */
  blank: Columns<Row>;
  /** What its handlers may read: rows of its own actors, as the batch has made them so far. */
  reads(db: Connection): Reads;
  /** Makes the memory of an actor that is activated. */
  load(reads: Reads, row: Row): Memory;
  handlers: Handlers<Runtime<Row, Memory, Reads, Id>, Commands>;
  /** Commands whose repetition is recognised; the answers of all others are remembered. */
  recognised?: {
    [T in keyof Commands]?: Commands[T] extends { body: infer Body; result: infer Result }
      ? Recognition<Reads, Body, Result>
      : never;
  };
  /** A durable timer of the actor (`subject` is its key) or of something it owns has fired. */
  onTimer?(runtime: Runtime<Row, Memory, Reads, Id>, subject: number, event: { type: `xstate.after.${string}` }): void;
  /** Event types whose payload is made from what the turn kept; the payloads of the others are kept whole. */
  renderers?(db: Connection): Partial<Record<EventType, EventRenderer>>;
  pruning?: PruningRule;
  following?: FollowingRule;
  /** For the check of a data file. */
  contradictions?(db: Connection): Contradictions;
  /** The feed can be followed for one of its actors alone, by the actor's id. */
  followed?: boolean;
  /** Its actors are forgotten, row and all, when the journal has forgotten their last turn. */
  transient?: boolean;
  /** What the outside reads of it. */
  readers?: Readers;
  /** Only a type: what may be asked of it. */
  readonly commands?: Commands;
}

/** A kind as the runtime handles it, whatever its rows and commands are. */
export type AnyKind = Kind<CommandTable, ActorRow, unknown, unknown, MachineId | null, unknown>;

/**
 * Declares a kind. The runtime hands back as `memory` and `row` only what the kind's own `load` and table made, so their
 * types may be forgotten.
 */
export const defineKind =
  <Commands>() =>
  <Row extends ActorRow, Memory, Reads, Id extends MachineId | null, Readers>(
    kind: Kind<Commands, Row, Memory, Reads, Id, Readers>,
  ): Kind<Commands, Row, Memory, Reads, Id, Readers> =>
    kind;

export const forgetTypes = (kind: unknown): AnyKind => kind as AnyKind;

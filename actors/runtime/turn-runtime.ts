import { type EventOf, type MachineId, registry } from '#machines/registry.ts';
import { initial, type StepResult, stepSnapshot } from '#machines/step.ts';
import { namespaces } from '../ids.ts';
import type { RowDigests } from '../journal/row-digest.ts';
import { packEvents, packRows, positionsOf, turnHash, turnsPerSkip, type TurnEvent } from '../journal/turn.ts';
import type { EventType, Json } from '../representation.ts';
import type { HostStore } from '../store/host-store.ts';
import type { Change, Row } from '../store/table.ts';
import { type ActorRow, bases, journal, type OutboxRow, outbox, timers } from '../store/tables.ts';
import { uuidV5 } from '../uuid.ts';
import type { ActiveActor } from './activation.ts';
import type { ActorAddress, Envelope } from './envelope.ts';
import { erasedLetters, erasedTurns, type Redaction } from './erased-turns.ts';
import type { Address, AnyKind, Columns, OwnedState, Runtime } from './kind.ts';
import { tellEffect } from './runtime-commands.ts';
import type { ShardCounters } from './shard.ts';
import type { Growing } from './signal.ts';
import { TurnSteps } from './turn-steps.ts';

/** What a turn came to. */
export interface EndedTurn {
  /** In the order in which they must be applied. Empty: nothing happened, and the journal does not mention it. */
  changes: Change[];
  signals: ReadonlySet<Growing>;
}

/** One turn: collects what a handler does. The batch applies the changes when the handler is through. */
export class TurnRuntime implements Runtime {
  readonly #actor: ActiveActor;
  readonly #kind: AnyKind;
  readonly #envelope: Envelope;
  readonly #store: HostStore;
  readonly #counters: ShardCounters;
  readonly #digests: RowDigests;
  readonly reads: unknown;
  readonly #changes: Change[] = [];
  readonly #steps = new TurnSteps();
  readonly #events: TurnEvent[] = [];
  readonly #signals = new Set<Growing>();
  /** Domain columns that were saved. */
  readonly #saved: Row = {};
  /** Keys of stored timers that the turn removes. */
  readonly #cancelled = new Set<number>();
  #told = 0;

  constructor(
    actor: ActiveActor,
    kind: AnyKind,
    envelope: Envelope,
    store: HostStore,
    reads: unknown,
    counters: ShardCounters,
    digests: RowDigests,
  ) {
    this.#actor = actor;
    this.#kind = kind;
    this.#envelope = envelope;
    this.#store = store;
    this.reads = reads;
    this.#counters = counters;
    this.#digests = digests;
  }

  get actor(): { readonly key: number; readonly id: string; readonly isNew: boolean } {
    const { row, isNew } = this.#actor;
    return { key: row.key, id: row.id, isNew };
  }

  get now(): number {
    return this.#envelope.now;
  }

  get commandId(): string {
    return this.#envelope.commandId;
  }

  get turn(): number {
    return this.#counters.turn;
  }

  get row(): ActorRow {
    return this.#actor.row;
  }

  get memory(): unknown {
    return this.#actor.memory;
  }

  set memory(memory: unknown) {
    this.#actor.memory = memory;
  }

  get value(): unknown {
    return this.#actor.snapshot?.value ?? null;
  }

  nextKey(): number {
    return this.#counters.takeKey();
  }

  save(columns: Partial<Columns<ActorRow>>): void {
    Object.assign(this.#saved, columns);
    Object.assign(this.#actor.row, columns);
  }

  step(event: EventOf<MachineId>): StepResult {
    const { machine } = this.#kind;
    const { snapshot, row } = this.#actor;
    if (machine === null || snapshot === null) throw new Error(`${this.#kind.name} has no machine to step.`);
    const result = stepSnapshot(machine, snapshot, event);
    if (result.changed) {
      this.#actor.snapshot = result.snapshot;
      row.revision++;
      const before = row.value;
      row.value = JSON.stringify(result.value);
      row.context = JSON.stringify(result.context);
      this.#steps.keep(machine, 0, row.revision, event, before, row.value, row.context);
      this.#scheduleTimers(row.key, result.timers);
    }
    return result;
  }

  stepOwned<M extends MachineId>(
    machine: M,
    subject: number,
    owned: OwnedState | null,
    event: EventOf<M> | null,
  ): { result: StepResult<M>; owned: OwnedState } {
    const [from, migration] = owned === null ? [null, 0] : this.#steps.restored(machine, subject, owned);
    const result = from === null || event === null ? initial(machine) : stepSnapshot(machine, from, event);
    const revision = (owned?.revision ?? 0) + migration + (result.changed ? 1 : 0);
    const { value, context } = result;
    if (result.changed) {
      const before = from === null ? null : JSON.stringify(from.value);
      const cause = event ?? { type: 'xstate.init' };
      this.#steps.keep(machine, subject, revision, cause, before, JSON.stringify(value), JSON.stringify(context));
      this.#scheduleTimers(subject, result.timers);
    }
    return { result, owned: { machineVersion: registry[machine].version, value, context, revision } };
  }

  change(change: Change): void {
    this.#changes.push(change);
    if (change.op === 'delete') this.#removeBase(change.table, change.key);
    if (outbox.is(change) && change.op !== 'delete') this.#signals.add('outbox');
  }

  /** A row whose machine had steps that are forgotten by now takes what is kept of them along. */
  #removeBase(table: string, key: number): void {
    if (!this.#kind.owned?.some((owned) => owned.table.name === table)) return;
    if (this.#store.base(key) !== null) this.#changes.push(bases.remove(key));
  }

  emit(type: EventType, data: Json): void {
    this.#actor.row.seq++;
    this.#events.push({ type, seq: this.#actor.row.seq, data });
    this.#signals.add('feed');
  }

  signal(what: Growing): void {
    this.#signals.add(what);
  }

  tell(to: Address, type: string, body: unknown): void {
    this.change(
      outbox.insert({
        key: this.nextKey(),
        id: uuidV5(namespaces.command, 'tell', this.commandId, String(this.#told++)),
        kind: tellEffect,
        lane: this.#actor.row.key,
        subject: this.#actor.row.key,
        ready: 1,
        body: JSON.stringify({ ...this.#self(), to, type, body }),
        at: this.now,
      }),
    );
  }

  eraseTurns(redaction: Redaction, from = this.#actor.row.last_turn): number | null {
    const { changes, next } = erasedTurns(this.#store, this.#actor.row.key, from, redaction);
    for (const change of changes) this.change(change);
    this.signal('erased');
    return next;
  }

  eraseLetters(names: (letter: Envelope) => boolean = () => true): void {
    for (const change of erasedLetters(this.#store, this.#actor.row.id, this.now, names)) this.change(change);
  }

  /** Who tells something, and which command made it. */
  #self(): { from: ActorAddress; command: string } {
    return { from: { kind: this.#kind.name, id: this.#actor.row.id }, command: this.commandId };
  }

  effectOf(subject: number, kind: string): OutboxRow | null {
    return this.#store.effectOf(subject, kind);
  }

  /** Brings an actor whose state an older version of its machine has stored to the current one. */
  migrate(): void {
    const { machine } = this.#kind;
    const { row } = this.#actor;
    if (machine === null || row.machine_version === registry[machine].version) return;
    const value = JSON.parse(row.value) as unknown;
    const context = JSON.parse(row.context) as unknown;
    const stored = { machineVersion: row.machine_version, value, context, revision: row.revision };
    const [snapshot, steps] = this.#steps.restored(machine, 0, stored);
    this.#actor.snapshot = snapshot;
    row.revision += steps;
    row.machine_version = registry[machine].version;
    row.value = JSON.stringify(snapshot.value);
    row.context = JSON.stringify(snapshot.context);
  }

  /** Sees the changes so far: a fired timer must know whether its handler has set it anew. */
  get changes(): readonly Change[] {
    return this.#changes;
  }

  /**
   * Ends the turn.
   * @param answer JSON of the reply where it has to be remembered, else null
   */
  end(answer: string | null): EndedTurn {
    const idle = this.#changes.length === 0 && this.#steps.isEmpty && this.#events.length === 0;
    if (idle && Object.keys(this.#saved).length === 0 && answer === null)
      return { changes: [], signals: this.#signals };
    const row = this.#journalRow(answer);
    return { changes: [...this.#changes, this.#ownRow(row.hash), journal.insert(row)], signals: this.#signals };
  }

  #journalRow(answer: string | null) {
    const { row } = this.#actor;
    // Before anything is counted: a change of what is no table throws.
    const others = this.#digests.changesOf(this.#changes);
    const key = this.#counters.turn;
    this.#counters.takePositions(positionsOf(this.#events.length));
    row.turns++;
    const isSkip = row.turns % turnsPerSkip === 0;
    const turn = {
      key,
      kind: this.#kind.name,
      actor: row.key,
      previous: row.last_turn,
      skip: isSkip ? row.skip_turn : null,
      at: this.now,
      type: this.#envelope.type,
      cause: this.#envelope.cause,
      command: this.#envelope.commandId,
      steps: this.#steps.packed(),
      events: packEvents(this.#events),
      answer,
    };
    if (isSkip) row.skip_turn = key;
    row.last_turn = key;
    const own = this.#digests.of(this.#kind.table.name, row);
    const whole = { ...turn, rows: packRows({ own, others }) };
    return { ...whole, hash: turnHash(row.chain, whole) };
  }

  /** The actor's own row: whole when it is new, else what a turn can change. */
  #ownRow(chain: string): Change {
    const { row, isNew } = this.#actor;
    row.chain = chain;
    this.#actor.isNew = false;
    if (isNew) return this.#kind.table.insert({ ...row });
    const { revision, seq, turns, last_turn, skip_turn, machine_version, value, context } = row;
    const state = { seq, turns, last_turn, skip_turn, chain };
    return this.#kind.table.update(row.key, {
      ...this.#saved,
      ...state,
      ...(this.#steps.haveMovedActor && { revision, machine_version, value, context }),
    });
  }

  #scheduleTimers(subject: number, { cancel, set }: StepResult['timers']): void {
    for (const name of cancel) {
      const mine = this.#changes.findIndex(
        (change) =>
          timers.is(change) &&
          change.op === 'insert' &&
          change.row['subject'] === subject &&
          change.row['name'] === name,
      );
      if (mine >= 0) this.#changes.splice(mine, 1);
      const timer = this.#store.timer(subject, name);
      // A machine that is stepped more than once in a turn may leave the same wait twice.
      if (timer === null || this.#cancelled.has(timer.key)) continue;
      this.#cancelled.add(timer.key);
      this.change(timers.remove(timer.key));
    }
    for (const { name, delay } of set) {
      const { key: actor } = this.#actor.row;
      this.change(
        timers.insert({ key: this.nextKey(), due: this.now + delay, kind: this.#kind.name, actor, subject, name }),
      );
    }
  }
}
